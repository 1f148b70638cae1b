//! Holds the source of the workspace to its architecture: the order of areas, and no cycle between modules.

mod known;

use std::error::Error;
use std::path::Path;

use architecture::{Graph, OutsideArea, Role, Sources, Tree, area_violations, cycle_violations};

/// Modules directly below the root of a layer that belong to no area. Keep the list short.
const OUTSIDE: &[OutsideArea] = &[
    // The table of routes lists the rows of every area in the order of the documentation.
    OutsideArea { layer: "api", module: "routes", role: Role::Composition },
    // The server builds the router from that table, and its pipeline and metrics name services of several areas.
    OutsideArea { layer: "api", module: "server", role: Role::Composition },
    // The OpenAPI document and the pages of the documentation describe the resources of every area.
    OutsideArea { layer: "api", module: "docs", role: Role::Composition },
    // They run or clean the work of every area.
    OutsideArea { layer: "service", module: "cleaning", role: Role::Composition },
    OutsideArea { layer: "service", module: "jobs", role: Role::Composition },
    OutsideArea { layer: "service", module: "suspects", role: Role::Composition },
    // A new organisation gets something from several areas.
    OutsideArea { layer: "service", module: "onboarding", role: Role::Composition },
    // What `Service` consists of, and its settings, which name types of several areas.
    OutsideArea { layer: "service", module: "components", role: Role::Composition },
    OutsideArea { layer: "service", module: "settings", role: Role::Composition },
    // Its tests go through the whole product.
    OutsideArea { layer: "dockside/tests/it", module: "product", role: Role::Composition },
    // Tests of every area use it.
    OutsideArea { layer: "dockside/tests/it", module: "setup", role: Role::Setup },
];

fn workspace() -> Result<(Sources, Tree), Box<dyn Error>> {
    let sources = Sources::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))?;
    let tree = Tree::new(&sources)?;
    Ok((sources, tree))
}

#[test]
fn areas_use_only_areas_before_them() -> Result<(), Box<dyn Error>> {
    let (sources, tree) = workspace()?;
    let texts = area_violations(&sources, &tree, OUTSIDE);
    assert!(texts.is_empty(), "violations of the order of areas: {}\n\n{}", texts.len(), texts.join("\n"));
    Ok(())
}

#[test]
fn no_two_modules_use_each_other() -> Result<(), Box<dyn Error>> {
    let (_, tree) = workspace()?;
    let texts = cycle_violations(&Graph::new(&tree), known::CYCLES);
    assert!(
        texts.is_empty(),
        "cycles between modules that are new or gone: {}\n\n{}",
        texts.len(),
        texts.join("\n")
    );
    Ok(())
}
