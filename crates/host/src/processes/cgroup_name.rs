//! Whether a cgroup is a service's or container's own, or one that logins share.

/// Services that start other people's programs within their own cgroup.
const SHARED_SERVICES: [&str; 6] = ["ssh", "sshd", "cron", "crond", "atd", "user@"];

/// Parts of a path that a container engine writes.
const CONTAINERS: [&str; 6] = ["docker", "libpod", "cri-containerd", "crio", "kubepods", "lxc"];

/// The cgroup that holds one service or container and nothing else, from the lines of
/// `/proc/<pid>/cgroup`.
///
/// # Shape
/// `None` for the root, a login session, a shell's window: what shares those is not one program.
pub(crate) fn own_cgroup<'a>(lines: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let paths = lines.into_iter().filter_map(|line| line.splitn(3, ':').nth(2));
    paths.filter(|path| is_own(path)).max_by_key(|path| path.len())
}

fn is_own(path: &str) -> bool {
    let Some(last) = path.rsplit('/').next().filter(|last| !last.is_empty()) else { return false };
    if let Some(service) = last.strip_suffix(".service") {
        let name = service.split_once('@').map_or(service, |(name, _)| name);
        return !SHARED_SERVICES.iter().any(|shared| shared.trim_end_matches('@') == name);
    }
    let is_session = last.starts_with("session-") || last == "init.scope";
    !is_session && CONTAINERS.iter().any(|container| path.contains(container))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_and_containers_have_their_own_and_logins_share() {
        for (line, own) in [
            ("0::/system.slice/vllm.service", true),
            ("0::/system.slice/docker-0a1b.scope", true),
            ("5:memory:/docker/0a1b", true),
            ("0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-2c.scope", true),
            ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/llama.service", true),
            ("0::/", false),
            ("0::/init.scope", false),
            ("0::/user.slice/user-1000.slice/session-3.scope", false),
            ("0::/user.slice/user-1000.slice/user@1000.service", false),
            ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1.scope", false),
            ("0::/system.slice/ssh.service", false),
            ("0::/system.slice/cron.service", false),
            ("4:memory:/jobs/b734", false),
        ] {
            assert_eq!(own_cgroup([line]).is_some(), own, "{line}");
        }
        assert_eq!(own_cgroup(["3:cpuset:/", "2:cpu:/docker/1"]), Some("/docker/1"));
    }
}
