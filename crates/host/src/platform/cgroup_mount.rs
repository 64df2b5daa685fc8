//! Where control groups are mounted, and in which folders a process's group and those above lie.

use serde::{Deserialize, Serialize};
use trueline_core::Why;

use crate::root::Root;

/// Which of the two kinds of hierarchies a controller is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CgroupVersion {
    /// One hierarchy for a controller.
    V1,
    /// One hierarchy for all.
    V2,
}

/// What lies above the topmost group that can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Above {
    /// Nothing: it is the root of the hierarchy.
    Nothing,
    /// Groups that a container does not see, limits and all.
    Unseen,
}

/// A mounted hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    version: CgroupVersion,
    /// Its folder, relative to the root of the file system.
    folder: String,
    /// The group that the folder stands for.
    group: String,
    controllers: Vec<String>,
}

/// The folders of a process's group and of those above it, innermost first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chain {
    pub(super) version: CgroupVersion,
    pub(super) levels: Vec<Folder>,
    pub(super) above: Above,
}

impl Chain {
    /// Whether the innermost group is the root of the hierarchy.
    pub(super) fn is_topmost(&self) -> bool {
        self.levels.len() == 1 && self.above == Above::Nothing
    }
}

/// A group and its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder {
    /// The group's path as the watcher sees it; `/` for the topmost.
    pub(super) group: String,
    /// The folder, relative to the root of the file system.
    pub(super) folder: String,
}

/// The hierarchies among the mounts of `/proc/self/mountinfo`.
///
/// # Source
/// `proc_pid_mountinfo(5)`: group and folder are the fourth and fifth field; type and options
/// follow a lone hyphen.
pub(super) fn parse_mounts(mountinfo: &str) -> Vec<Mount> {
    let mount = |line: &str| {
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ').skip(3);
        let (group, point) = (unescaped(before.next()?), unescaped(before.next()?));
        let mut after = after.split(' ');
        let version = match after.next()? {
            "cgroup" => CgroupVersion::V1,
            "cgroup2" => CgroupVersion::V2,
            _ => return None,
        };
        let options = after.nth(1).unwrap_or_default();
        let controllers = options.split(',').map(str::to_owned).collect();
        Some(Mount {
            version,
            folder: point.trim_start_matches('/').to_owned(),
            group,
            controllers,
        })
    };
    mountinfo.lines().filter_map(mount).collect()
}

/// Where the group of a process lies in the hierarchy that has a controller, by the lines of its
/// `/proc/<pid>/cgroup`.
///
/// # Errors
/// `Absent` where no such hierarchy is mounted, `NeedsMore` where the group lies outside of what is
/// mounted here.
pub(super) fn locate(
    root: &Root,
    mounts: &[Mount],
    lines: &[String],
    controller: &str,
) -> Result<Chain, Why> {
    let v1 = mounts.iter().any(|m| {
        m.version == CgroupVersion::V1 && m.controllers.iter().any(|name| name == controller)
    });
    let version = if v1 { CgroupVersion::V1 } else { CgroupVersion::V2 };
    chain(root, mounts, lines, version, controller)
}

/// The same in the hierarchy of the second version, whatever controllers it has: it accounts
/// pressure beside those of the first.
pub(super) fn locate_unified(
    root: &Root,
    mounts: &[Mount],
    lines: &[String],
) -> Result<Chain, Why> {
    chain(root, mounts, lines, CgroupVersion::V2, "")
}

fn chain(
    root: &Root,
    mounts: &[Mount],
    lines: &[String],
    version: CgroupVersion,
    controller: &str,
) -> Result<Chain, Why> {
    let group = lines.iter().find_map(|line| {
        let (number, rest) = line.split_once(':')?;
        let (controllers, group) = rest.split_once(':')?;
        let kind = (number == "0") == (version == CgroupVersion::V2);
        (kind && serves(version, controller, controllers.split(','))).then_some(group)
    });
    let group = group.ok_or(Why::Absent)?;
    let mut of_version = mounts.iter().filter(|mount| {
        mount.version == version
            && serves(version, controller, mount.controllers.iter().map(String::as_str))
    });
    let there = of_version.clone().next().is_some();
    let found = of_version.find_map(|mount| Some((mount, below(&mount.group, group)?)));
    let (mount, rest) = found.ok_or(if there { Why::NeedsMore } else { Why::Absent })?;
    let levels = levels(mount, rest);
    if !levels.first().is_some_and(|level| root.exists(&level.folder)) {
        return Err(Why::NeedsMore);
    }
    // Files that the topmost group alone has, or lacks.
    let topmost = match version {
        CgroupVersion::V1 => root.exists(&format!("{}/release_agent", mount.folder)),
        CgroupVersion::V2 => !root.exists(&format!("{}/cgroup.type", mount.folder)),
    };
    let above = if topmost && mount.group == "/" { Above::Nothing } else { Above::Unseen };
    Ok(Chain { version, levels, above })
}

/// Whether a hierarchy with these controllers has one; that of the second version has all.
fn serves<'a>(
    version: CgroupVersion,
    controller: &str,
    mut controllers: impl Iterator<Item = &'a str>,
) -> bool {
    version == CgroupVersion::V2 || controllers.any(|name| name == controller)
}

/// The part of a group's path below the group that is mounted; `None` where it is not below it.
fn below<'a>(mounted: &str, group: &'a str) -> Option<&'a str> {
    let steps_out = |path: &str| path.split('/').any(|step| step == "..");
    if steps_out(mounted) || steps_out(group) {
        return None;
    }
    let rest = group.strip_prefix(mounted.trim_end_matches('/'))?;
    (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_matches('/'))
}

fn levels(mount: &Mount, rest: &str) -> Vec<Folder> {
    let steps: Vec<&str> = rest.split('/').filter(|step| !step.is_empty()).collect();
    let level = |depth: usize| {
        let below = steps.iter().take(depth).fold(String::new(), |path, step| path + "/" + step);
        let group = format!("{}{below}", mount.group.trim_end_matches('/'));
        let group = if group.is_empty() { "/".to_owned() } else { group };
        Folder { group, folder: format!("{}{below}", mount.folder) }
    };
    (0..=steps.len()).rev().map(level).collect()
}

/// Blanks and backslashes are written as octal numbers.
fn unescaped(field: &str) -> String {
    let octal = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    octal.iter().fold(field.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::super::made::Tree;
    use super::*;

    /// Captured: controllers of the first version, and the second one mounted beside them.
    const HYBRID: &str = "\
23 27 0:22 / /sys rw,relatime - sysfs sysfs rw
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw";

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    fn folders(chain: &Chain) -> Vec<&str> {
        chain.levels.iter().map(|level| level.folder.as_str()).collect()
    }

    #[test]
    fn a_controller_of_the_first_version_wins_in_a_hybrid_system() {
        let tree = Tree::new();
        tree.write("sys/fs/cgroup/cpu/release_agent", "");
        tree.write("sys/fs/cgroup/cpu/serving/model/cgroup.procs", "");
        tree.write("sys/fs/cgroup/unified/cgroup.procs", "");
        let (root, mounts) = (tree.root(), parse_mounts(HYBRID));
        let lines = lines("4:memory:/app\n1:cpu:/serving/model\n0::/");
        let chain = locate(&root, &mounts, &lines, "cpu").unwrap();
        assert_eq!((chain.version, chain.above), (CgroupVersion::V1, Above::Nothing));
        assert_eq!(
            folders(&chain),
            ["sys/fs/cgroup/cpu/serving/model", "sys/fs/cgroup/cpu/serving", "sys/fs/cgroup/cpu"]
        );
        let unified = locate_unified(&root, &mounts, &lines).unwrap();
        assert_eq!(folders(&unified), ["sys/fs/cgroup/unified"]);
    }

    #[test]
    fn inside_a_namespace_the_topmost_group_is_not_the_root() {
        let tree = Tree::new();
        // The root of the second version has no type; a container's topmost group has one.
        tree.write("sys/fs/cgroup/cgroup.type", "domain");
        let mounts =
            parse_mounts("30 23 0:26 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw,nsdelegate");
        let chain = locate(&tree.root(), &mounts, &lines("0::/"), "cpu").unwrap();
        assert_eq!((folders(&chain), chain.above), (vec!["sys/fs/cgroup"], Above::Unseen));
    }

    #[test]
    fn a_group_outside_of_what_is_mounted_is_not_known() {
        let tree = Tree::new();
        tree.write("sys/fs/cgroup/cgroup.procs", "");
        let root = tree.root();
        let mounts = parse_mounts("30 23 0:26 /docker/ab /sys/fs/cgroup ro - cgroup2 cgroup rw");
        for (group, expected) in [
            ("0::/docker/ab", Ok(vec!["sys/fs/cgroup".to_owned()])),
            ("0::/docker/abc", Err(Why::NeedsMore)),
            ("0::/../cd", Err(Why::NeedsMore)),
            ("1:cpu:/", Err(Why::Absent)),
        ] {
            let found = locate(&root, &mounts, &lines(group), "cpu");
            let found = found.map(|c| folders(&c).into_iter().map(str::to_owned).collect());
            assert_eq!(found, expected, "{group}");
        }
        assert_eq!(locate(&root, &[], &lines("0::/"), "cpu"), Err(Why::Absent));
    }
}
