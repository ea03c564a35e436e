#pragma once

#include <cstdint>

namespace oriel::emulator {

/// What became of a call, before a vendor's code stands for it. Every way in which a call can fail
/// has a name here, so that what a vendor answers is a table (rules.hpp) and not spread over the
/// code. "row n" is the row of section 1.4 of the driver rules.
enum class Situation : std::uint8_t {
  kSuccess,

  // General.
  kInvalidValue,
  kOutOfMemory,
  kNotInitialized,
  kDeinitialized,  ///< The process is at its end.
  kStubLibrary,
  kDeviceLost,
  kNoDevice,
  kInvalidDevice,
  kInvalidImage,
  kNoCurrentContext,
  kContextDestroyed,
  kPrimaryContextActive,
  kNoCodeForDevice,
  kFileNotWritten,
  kInvalidHandle,
  kIllegalState,
  kNotFound,
  kNotReady,
  kIllegalAddress,
  kAlreadyRegistered,
  kNotRegistered,
  kLaunchFailed,
  kNotSupported,
  kUpdateFailed,
  kUnfreedRelaunch,   ///< A graph's allocation is still there from its last launch.
  kSecondExecutable,  ///< Of a graph that allocates or frees.

  // Capture.
  kBeginOnLegacy,         ///< Row 1.
  kBeginWhileCapturing,   ///< Row 2.
  kBadCaptureArgument,    ///< Row 3.
  kSyncOfCapturing,       ///< Row 4.
  kSyncOfContext,         ///< Row 5.
  kEventOfContext,        ///< Row 6.
  kUseOfCapturedEvent,    ///< Row 7.
  kUseOfLegacy,           ///< Row 8.
  kAskAboutLegacy,        ///< Row 9.
  kUnsafeCall,            ///< Row 10.
  kInvalidated,           ///< Row 11.
  kMerge,                 ///< Row 12.
  kEndOnJoined,           ///< Row 13.
  kUnjoined,              ///< Row 14.
  kUncapturedEvent,       ///< Row 15.
  kEndOnWrongThread,      ///< Row 17.
  kEndOnIdle,             ///< Row 18.
  kEndInvalidated,        ///< Row 19.
  kUpdateIdle,            ///< Row 20.
  kEdgeDataLost,          ///< Row 21.
  kCallbackInCapture,     ///< Row 22.
  kAttachInCapture,       ///< Row 23.
  kFreeOfForeign,         ///< Row 24.
  kCallFromHostFunction,  ///< Row 25.
  kExternalOutside,       ///< Row 26.
  kUnsafeLoad,            ///< A module is loaded by a restricted thread.
  kUnsafeWait,          ///< A restricted thread asks about, or waits for, work that isn't captured.
  kUnsafeCopy,          ///< A restricted thread copies synchronously.
  kLazyLoad,            ///< First launch of a function within a capture.
  kDestroyOfCapturing,  ///< A capturing stream is destroyed.
  kGraphOfCapture,      ///< A graph that is still being captured is instantiated or destroyed.
  kUseOfLegacyByCaptured,  ///< The legacy stream waits for a captured event.

  kCount,
};

[[nodiscard]] constexpr bool failed(Situation situation) noexcept {
  return situation != Situation::kSuccess;
}

}  // namespace oriel::emulator
