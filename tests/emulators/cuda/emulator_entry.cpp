#include "../control.hpp"
#include "../engine/machine.hpp"

extern "C" __attribute__((visibility("default"))) const oriel::emulator::Control* oriel_emulator() {
  return &oriel::emulator::control();
}
