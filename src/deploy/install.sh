#!/bin/sh
# Installs Feedgate: downloads the executable for this machine from a release, and verifies its checksum.
#
#   FEEDGATE_INSTALL_DIR  installation folder; default /usr/local/bin, or ~/.local/bin if that is not writable
#   FEEDGATE_RELEASE_URL  download address; default the release that this script belongs to
#
# Everything is in functions, so that nothing runs if the script's own download is interrupted.
set -eu

fail() {
  echo "install: $1" >&2
  exit 1
}

# The release's name for this platform.
find_target() {
  case "$(uname -s) $(uname -m)" in
  "Linux x86_64" | "Linux amd64") echo linux-x64 ;;
  "Linux aarch64" | "Linux arm64") echo linux-arm64 ;;
  "Darwin arm64") echo darwin-arm64 ;;
  *) return 1 ;;
  esac
}

find_folder() {
  if [ -n "${FEEDGATE_INSTALL_DIR:-}" ]; then
    echo "$FEEDGATE_INSTALL_DIR"
  elif [ -w /usr/local/bin ]; then
    echo /usr/local/bin
  elif [ -n "${HOME:-}" ]; then
    echo "$HOME/.local/bin"
  else
    return 1
  fi
}

download() {
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --output "$2" "$1"
  elif command -v wget >/dev/null; then
    wget --quiet --output-document="$2" "$1"
  else
    fail "curl or wget is required; install one of them and try again"
  fi
}

digest_of() {
  if command -v sha256sum >/dev/null; then
    sha256sum "$1"
  elif command -v shasum >/dev/null; then
    shasum -a 256 "$1"
  else
    fail "sha256sum or shasum is required; install one of them and try again"
  fi
}

print_next() {
  case ":$PATH:" in
  *":$1:"*) program=feedgate ;;
  *)
    program=$1/feedgate
    echo "$1 is not on your PATH. To add it: export PATH=\"$1:\$PATH\""
    ;;
  esac
  cat <<END

Next:
  $program demo     try a gateway with sample feeds
  $program serve    run a gateway with its data in .feedgate in this folder
  $program --help   list all commands
END
}

main() {
  url=${FEEDGATE_RELEASE_URL:-@RELEASE_URL@}
  target=$(find_target) || fail "there is no executable for $(uname -s) on $(uname -m)"
  folder=$(find_folder) || fail "HOME is not set; set FEEDGATE_INSTALL_DIR"
  mkdir -p "$folder" 2>/dev/null || fail "can't create $folder; set FEEDGATE_INSTALL_DIR"
  # In the same folder, so that the program can be renamed into place while an older one runs.
  draft=$(mktemp -d "$folder/.feedgate.XXXXXX" 2>/dev/null) ||
    fail "can't write to $folder; run as root, or set FEEDGATE_INSTALL_DIR"
  trap 'rm -rf "$draft"' EXIT
  trap 'exit 1' HUP INT TERM

  name=feedgate-$target
  echo "Downloading $url/$name"
  download "$url/SHA256SUMS" "$draft/SHA256SUMS" || fail "can't download $url/SHA256SUMS"
  download "$url/$name" "$draft/$name" || fail "can't download $url/$name"
  expected=$(sed -n "s/^\([0-9a-f]\{64\}\)  $name\$/\1/p" "$draft/SHA256SUMS")
  [ -n "$expected" ] || fail "SHA256SUMS contains no checksum for $name"
  found=$(digest_of "$draft/$name")
  found=${found%% *}
  [ "$found" = "$expected" ] ||
    fail "the checksum of $name is $found, expected $expected; nothing was installed"
  chmod 755 "$draft/$name"
  version=$("$draft/$name" --version) || fail "$name does not run on this machine"
  mv "$draft/$name" "$folder/feedgate"
  echo "Installed Feedgate $version as $folder/feedgate"
  print_next "$folder"
}

main
