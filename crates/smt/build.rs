//! Says what to do when the Z3 library is not there, before the linker says it less clearly.
//! Nothing is downloaded here: `make setup` does that.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    let has_feature = |name: &str| env::var_os(format!("CARGO_FEATURE_{name}")).is_some();
    if has_feature("VENDORED_Z3") || has_feature("SYSTEM_Z3") {
        return;
    }
    let Some(directory) = env::var_os("Z3_LIBRARY_PATH_OVERRIDE").map(PathBuf::from) else {
        println!(
            "cargo::error=Z3_LIBRARY_PATH_OVERRIDE is not set: run cargo inside the checkout, \
             where .cargo/config.toml sets it"
        );
        return;
    };
    let macos = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "macos");
    let library = directory.join(if macos { "libz3.dylib" } else { "libz3.so" });
    println!("cargo::rerun-if-changed={}", library.display());
    if !library.exists() {
        println!(
            "cargo::error=the Z3 library is not at {}: run `make setup` once (it downloads the \
             pinned one), or see docs/guide/building.md for the features vendored-z3 and system-z3",
            library.display()
        );
    }
}
