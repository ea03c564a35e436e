// What the driver answers. The capture rows follow section 1.4 of the driver rules; "CU:n" there is
// a line of cuda.h (CUDA 13.0). Evidence as in rules.hpp.
#include "../engine/rules.hpp"

namespace oriel::emulator {
namespace {

using S = Situation;

constexpr Rule kRules[] = {
    {S::kSuccess, 0, false, "[D]"},
    {S::kInvalidValue, 1, false, "[D]"},
    {S::kOutOfMemory, 2, false, "[D]"},
    {S::kNotInitialized, 3, false, "[D]"},
    {S::kDeinitialized, 4, false, "[D]"},
    {S::kStubLibrary, 34, false, "[D]"},
    {S::kDeviceLost, 46, false, "[I] the code of a device that can't be used"},
    {S::kNoDevice, 100, false, "[D]"},
    {S::kInvalidDevice, 101, false, "[D]"},
    {S::kInvalidImage, 200, false, "[D]"},
    {S::kNoCurrentContext, 201, false, "[D]"},
    {S::kContextDestroyed, 709, false, "[D]"},
    {S::kPrimaryContextActive, 708, false, "[D]"},
    {S::kNoCodeForDevice, 209, false, "[D]"},
    {S::kFileNotWritten, 304, false, "[D] cuGraphDebugDotPrint"},
    {S::kInvalidHandle, 400, false, "[D]"},
    {S::kIllegalState, 401, false, "[D]"},
    {S::kNotFound, 500, false, "[D]"},
    {S::kNotReady, 600, false, "[D]"},
    {S::kIllegalAddress, 700, false, "[D]"},
    {S::kAlreadyRegistered, 712, false, "[D]"},
    {S::kNotRegistered, 713, false, "[D]"},
    {S::kLaunchFailed, 719, false, "[D]"},
    {S::kNotSupported, 801, false, "[D]"},
    {S::kUpdateFailed, 910, false, "[D]"},
    {S::kUnfreedRelaunch, 1, false, "[D] CU:21055"},
    {S::kSecondExecutable, 1, false, "[D] an error; code [I]"},

    {S::kBeginOnLegacy, 900, false, "[D] CU:15351; code [mem], as HIP"},
    {S::kBeginWhileCapturing, 401, false, "[D] CU; code [mem], as HIP"},
    {S::kBadCaptureArgument, 1, false, "[D]"},
    {S::kSyncOfCapturing, 900, true, "[D] the guide; [M] that it invalidates; code [mem]"},
    {S::kSyncOfContext, 900, true, "[D] the guide; [M]"},
    {S::kEventOfContext, 900, true, "[D] CU:7024, 7061"},
    {S::kUseOfCapturedEvent, 907, true, "[D] CU:3113, 15464"},
    {S::kUseOfLegacy, 906, true, "[D] CU:15526; [M]"},
    {S::kAskAboutLegacy, 906, false, "[D] CU:15525"},
    {S::kUnsafeCall, 900, true, "[D] CU:15442; [M] cuModuleUnload; host pinning [I]"},
    {S::kInvalidated, 901, false, "[D] CU:3077"},
    {S::kMerge, 902, true, "[D] CU:3083"},
    {S::kEndOnJoined, 903, false, "[D] CU:3089; that it goes on [I]"},
    {S::kUnjoined, 904, true, "[D] CU:3094; [M]"},
    {S::kUncapturedEvent, 905, true, "[D] CU:3099; [M]"},
    {S::kEndOnWrongThread, 908, false, "[D] CU:3119"},
    {S::kEndOnIdle, 401, false, "[mem], as HIP"},
    {S::kEndInvalidated, 901, true, "[D]; [M]"},
    {S::kUpdateIdle, 401, false, "[D] CU:15630"},
    {S::kEdgeDataLost, 402, false, "[D] CU:15566"},
    {S::kCallbackInCapture, 900, true, "[D] not supported; that it invalidates [I]"},
    {S::kAttachInCapture, 900, true, "[D] an error; code [mem], that it invalidates [I]"},
    {S::kFreeOfForeign, 1, true, "[D] CU:13307; code and that it invalidates [I]"},
    {S::kCallFromHostFunction, 800, false, "[D]"},
    {S::kExternalOutside, 1, false, "[D] invalid; code [I]"},
    {S::kUnsafeLoad, 900, true, "[I] strict: drivers from 12.3 on are said to load in a capture"},
    {S::kUnsafeWait, 900, true, "[M] cuEventQuery of a watchdog; the others [I]"},
    {S::kUnsafeCopy, 900, true, "[I] strict: not known beside non-blocking streams"},
    {S::kLazyLoad, 901, true, "[M] seen downstream, drivers before 12.3"},
    {S::kDestroyOfCapturing, 900, true, "[I]"},
    {S::kGraphOfCapture, 1, false, "[D] CU:15384, 15574 not permitted; code [I]"},
    {S::kUseOfLegacyByCaptured, 906, true, "[I]"},
};

}  // namespace

const Rules& vendor_rules() noexcept {
  static const Rules rules(kRules);
  return rules;
}

}  // namespace oriel::emulator
