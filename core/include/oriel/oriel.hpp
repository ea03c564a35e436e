#pragma once

/// Everything a user of Oriel needs.

#include <oriel/argument.hpp>
#include <oriel/buffer.hpp>
#include <oriel/error.hpp>
#include <oriel/event.hpp>
#include <oriel/graph.hpp>
#include <oriel/kernel_bundle.hpp>
#include <oriel/log.hpp>
#include <oriel/module.hpp>
#include <oriel/options.hpp>
#include <oriel/refused.hpp>
#include <oriel/runtime.hpp>
#include <oriel/stream.hpp>
#include <oriel/window.hpp>
