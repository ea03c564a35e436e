# shellcheck shell=bash
# Sourced by the scripts beside this folder (under set -e): goes to the project's root, and makes sure of the
# Debian packages.

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1

# need_packages <package>...: installs what is missing when it may, else says how and ends the script.
need_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "note: not a Debian system; these packages, or their like, are needed: $*" >&2
    return 0
  fi
  local package missing=()
  for package in "$@"; do
    if [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]]; then
      missing+=("$package")
    fi
  done
  if ((${#missing[@]} == 0)); then
    return 0
  fi

  local as_root=()
  if ((EUID != 0)); then
    if ! sudo -n true 2>/dev/null; then
      echo "Packages are missing. Run this, then try again:" >&2
      echo "  sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo -n)
  fi
  echo "installing: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# shellcheck disable=SC2034  # for the scripts that source this file
build_packages=(g++ cmake ninja-build ccache catch2 libspdlog-dev libexpected-dev libcli11-dev
                nlohmann-json3-dev librapidcheck-dev)
