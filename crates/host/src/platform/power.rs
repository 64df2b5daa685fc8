//! Where the electric power comes from, and how much of it the firmware grants.

use serde::{Deserialize, Serialize};
use trueline_core::Known;

use super::reading::seen;
use crate::root::{Root, known};

const FOLDER: &str = "sys/class/power_supply";

/// Where the electric power comes from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Power {
    /// Batteries and lines; empty for a machine without either, as servers are.
    pub supplies: Known<Vec<Supply>>,
    /// The firmware's profile, such as `balanced`.
    pub profile: Known<String>,
    /// Whether the system saves power, where it says so in one word (macOS).
    pub low_power_mode: Known<bool>,
}

/// A battery or a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Supply {
    /// Its name.
    pub name: String,
    /// `Mains`, `USB`, `Battery` or `UPS`.
    pub kind: String,
    /// `Device` for the battery of a mouse and the like.
    pub scope: Option<String>,
    /// Whether a line carries power.
    pub online: Option<u64>,
    /// What a battery does, such as `Discharging`.
    pub status: Option<String>,
}

/// Where the power comes from at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The line, or a machine that has no battery.
    Line,
    /// A battery that is emptied.
    Battery,
}

impl Power {
    pub(super) fn read(root: &Root) -> Self {
        let supplies = root
            .names(FOLDER)
            .map(|names| names.into_iter().filter_map(|name| Supply::read(root, name)).collect());
        Self {
            supplies: known(supplies),
            profile: known(root.text("sys/firmware/acpi/platform_profile")),
            low_power_mode: Known::default(),
        }
    }

    pub(super) fn source(&self) -> Option<Source> {
        let own = || {
            let all = seen(&self.supplies).into_iter().flatten();
            all.filter(|supply| supply.scope.as_deref() != Some("Device"))
        };
        seen(&self.supplies)?;
        let emptied =
            own().any(|s| s.kind == "Battery" && s.status.as_deref() == Some("Discharging"));
        let line = own().any(|s| s.kind != "Battery" && s.online.is_some_and(|online| online > 0));
        Some(if emptied && !line { Source::Battery } else { Source::Line })
    }
}

impl Supply {
    /// What macOS says in one word, as a battery that is emptied or not.
    pub(super) fn of_macos(on_battery: bool) -> Self {
        let status = if on_battery { "Discharging" } else { "Not charging" };
        let (name, kind) = ("InternalBattery".to_owned(), "Battery".to_owned());
        Self { name, kind, scope: None, online: None, status: Some(status.to_owned()) }
    }

    fn read(root: &Root, name: String) -> Option<Self> {
        let path = |file: &str| format!("{FOLDER}/{name}/{file}");
        let kind = root.text(&path("type")).ok()?;
        let text = |file: &str| root.text(&path(file)).ok();
        let (scope, status) = (text("scope"), text("status"));
        let online = root.value(&path("online")).value();
        Some(Self { name, kind, scope, online, status })
    }
}
