#!/usr/bin/env python3
"""How much of the C in real projects the front end takes.

The projects are those whose C sources crates of the registry carry. `cargo vendor` lays them out for a throw-away manifest in a
folder outside of the repository; nothing of them is kept here. Of each C file that `cc -fsyntax-only` compiles, every function and
object is looked at by the example `survey` of the crate cfront:

    cargo build --release -p cfront --example survey
    scripts/packages.py [--into FOLDER] [--only CRATE]… [--jobs N] [--reasons FILE]

A table comes out: project, files that the compiler takes, files that the front end takes, the same in percent, and files that are
taken with statements that no execution may reach; then why files are refused, most frequent first. `--reasons` writes a line for each
refused file.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent
SURVEY = HERE / "target" / "release" / "examples" / "survey"
SECONDS = 300

# Crates with C sources, and the macros that their build scripts define.
CRATES = {
    "blake3": [],
    "brotli-sys": [],
    "bzip2-sys": ["BZ_NO_STDIO"],
    "curl-sys": ["BUILDING_LIBCURL", "CURL_DISABLE_LDAP", "HAVE_POLL_FINE", "HAVE_LONGLONG", "HAVE_UNISTD_H",
                 "HAVE_FCNTL_H", "HAVE_SYS_SOCKET_H", "HAVE_NETDB_H", "HAVE_NETINET_IN_H", "HAVE_ARPA_INET_H",
                 "HAVE_SYS_TIME_H", "HAVE_SELECT", "HAVE_SOCKET", "HAVE_RECV", "HAVE_SEND", "HAVE_STRUCT_TIMEVAL",
                 "HAVE_SYS_STAT_H", "HAVE_ERRNO_H", "HAVE_BOOL_T", "HAVE_STDBOOL_H", "HAVE_FCNTL_O_NONBLOCK",
                 "SIZEOF_CURL_OFF_T=8", "SIZEOF_TIME_T=8", "SIZEOF_OFF_T=8", "SIZEOF_INT=4", "SIZEOF_SIZE_T=8",
                 "SIZEOF_LONG=8", "OS=\"Linux\""],
    "hidapi": [],
    "libdeflate-sys": [],
    "libgit2-sys": ["GIT_SHA1_COLLISIONDETECT", "SHA1DC_NO_STANDARD_INCLUDES", "GIT_REGEX_BUILTIN"],
    "libmimalloc-sys": [],
    "libnghttp2-sys": ["HAVE_NETINET_IN_H", "HAVE_TIME_H", "NGHTTP2_STATICLIB"],
    "libsodium-sys": ["CONFIGURED", "NATIVE_LITTLE_ENDIAN", "HAVE_TI_MODE"],
    "libsqlite3-sys": [],
    "libssh2-sys": ["LIBSSH2_OPENSSL", "HAVE_UNISTD_H", "HAVE_SYS_SOCKET_H", "HAVE_SYS_TIME_H", "HAVE_POLL"],
    "libusb1-sys": ["PLATFORM_POSIX", "DEFAULT_VISIBILITY=", "_GNU_SOURCE", "HAVE_SYS_TIME_H"],
    "libwebp-sys": [],
    "libz-sys": ["HAVE_UNISTD_H"],
    "lmdb-rkv-sys": [],
    "lua-src": ["LUA_USE_LINUX"],
    "lz4-sys": [],
    "lzma-sys": ["HAVE_CONFIG_H"],
    "mozjpeg-sys": ["BITS_IN_JSAMPLE=8", "SIZEOF_SIZE_T=8", "INLINE=inline", "HAVE_PROTOTYPES"],
    "onig_sys": [],
    "pcre2-sys": ["PCRE2_CODE_UNIT_WIDTH=8", "HAVE_STDLIB_H", "HAVE_MEMMOVE", "PCRE2_STATIC", "SUPPORT_UNICODE"],
    "ring": [],
    "secp256k1-sys": ["SECP256K1_API=", "ENABLE_MODULE_ECDH", "ENABLE_MODULE_SCHNORRSIG", "ENABLE_MODULE_EXTRAKEYS"],
    "tikv-jemalloc-sys": [],
    "tree-sitter": [],
    "zstd-sys": [],
}


def lay_out(folder, crates):
    """The sources of the crates and of what they need, one folder each."""
    sources = folder / "vendor"
    manifest = ["[package]", 'name = "throw-away"', 'version = "0.0.0"', 'edition = "2021"', "[dependencies]"]
    wanted = "\n".join(manifest + [f'{crate} = "*"' for crate in crates]) + "\n"
    known = folder / "Cargo.toml"
    if not (sources.is_dir() and known.is_file() and known.read_text() == wanted):
        (folder / "src").mkdir(parents=True, exist_ok=True)
        (folder / "src" / "lib.rs").write_text("")
        known.write_text(wanted)
        subprocess.run(["cargo", "vendor", "-q", str(sources)], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return sources


def run(command):
    """Status and output of a command that may take SECONDS."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, errors="replace", check=False)
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stdout


def look(crate, file, folders, macros):
    """What becomes of one file: nothing when the compiler refuses it, else the words of `survey`."""
    # Alone first: a header of another platform may have the name of one of the system.
    for chosen, defined in (([], macros), (folders, macros), (folders, [])):
        flags = [f"-I{folder}" for folder in chosen] + [f"-D{macro}" for macro in defined]
        if run(["cc", "-fsyntax-only", "-w", *flags, str(file)])[0] != 0:
            continue
        options = [word for folder in chosen for word in ("-I", str(folder))]
        options += [word for macro in defined for word in ("-D", macro)]
        status, out = run([str(SURVEY), *options, str(file)])
        if status is None:
            return crate, file, ["refused", "0", f"no answer in {SECONDS} seconds"]
        words = out.rstrip("\n").split("\t")[1:]
        return crate, file, words if status == 0 and words else ["refused", "0", "the front end panics"]
    return crate, file, None


def kind(reason):
    """A reason without its place and names."""
    text = re.sub(r"^(reached: )?\S*: ", r"\1", reason)
    return re.sub(r"`[^`]*`", "`…`", text)


def main():
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "packages")
    parser.add_argument("--only", action="append", choices=sorted(CRATES))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--reasons", type=pathlib.Path)
    options = parser.parse_args()
    if not SURVEY.is_file():
        sys.exit("first: cargo build --release -p cfront --example survey")
    if HERE in options.into.resolve().parents:
        sys.exit("the folder must lie outside of the repository")
    sources = lay_out(options.into.resolve(), sorted(CRATES))
    work = []
    for crate in options.only or sorted(CRATES):
        files = sorted((sources / crate).rglob("*.c"))
        folders = sorted({header.parent for header in (sources / crate).rglob("*.h")})
        outer = {folder.parent for folder in folders if folder.name != "src" and folder.parent != sources}
        folders += sorted(outer - set(folders))
        work += [(crate, file, folders, CRATES[crate]) for file in files]
    table = collections.defaultdict(lambda: [0, 0, 0])
    reasons, holes, lines = collections.Counter(), collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for crate, file, words in pool.map(lambda job: look(*job), work):
            if words is None:
                continue
            row = table[crate]
            row[0] += 1
            found = {kind(w) for w in words[2:]}
            if words[0] == "taken":
                row[1] += 1
                row[2] += bool(found)
                holes.update(found)
                lines += [f"{file}\t{w}" for w in words[2:]]
            else:
                reasons.update(w for w in found if not w.startswith("reached: "))
                lines += [f"{file}\t{w}" for w in words[2:]]
    table["all"] = [sum(column) for column in zip(*table.values())] if table else [0, 0, 0]
    print(f"{'project':20} {'compiled':>8} {'taken':>6} {'%':>6} {'with holes':>10}")
    for crate, (compiled, taken, holed) in table.items():
        share = 100 * taken / compiled if compiled else 0
        print(f"{crate:20} {compiled:8} {taken:6} {share:6.1f} {holed:10}")
    for title, counted in (("refused, since", reasons), ("taken, but for statements with", holes)):
        print(f"\n{title}:")
        for reason, count in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
            print(f"{count:6}  {reason.removeprefix('reached: ')}")
    if options.reasons:
        options.reasons.write_text("".join(line + "\n" for line in lines))


if __name__ == "__main__":
    main()
