//! What the machine says about memory: how much this process has held, and how much a search may hold. Where it says
//! nothing, the answer is `None`, and nobody guesses.

use std::fmt;
use std::fs;
use std::path::Path;
use watchkeeper_report::bytes;

/// What stacks, arenas and tables that are being copied need beyond what a search counts, of whatever there is.
const HEAD_ROOM: u64 = 64 << 20;

/// A search of less has no limit that it could keep to.
const LEAST: u64 = 1 << 20;

/// The most memory that this process has held so far, in bytes.
pub fn peak_bytes() -> Option<u64> {
    kilobytes(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// How much a search may hold, and why not more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allowance {
    /// How much.
    pub bytes: u64,
    /// Why not more.
    pub by: By,
}

/// What limits the memory of this process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// What is free on the machine.
    Machine,
    /// `ulimit -v`, of so many bytes.
    AddressSpace(u64),
    /// `ulimit -d`.
    Data(u64),
    /// The limit of a group of processes, such as a container.
    Group(u64),
}

impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Allowance { bytes: allowed, by } = *self;
        let rest = |name: &str, limit: u64| format!("what the {name} of {} leaves to a search", bytes(limit));
        let why = match by {
            By::Machine => "three quarters of the memory that was free at the start".to_string(),
            By::AddressSpace(limit) => rest("address-space limit (ulimit -v)", limit),
            By::Data(limit) => rest("limit on data (ulimit -d)", limit),
            By::Group(limit) => rest("memory limit of the control group (a container, or a service)", limit),
        };
        write!(f, "{}, {why}", bytes(allowed))
    }
}

/// What the system says, as it says it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Said {
    /// `/proc/meminfo`.
    meminfo: String,
    /// `/proc/self/status`.
    status: String,
    address_space: Option<u64>,
    data: Option<u64>,
    /// For each control group around this process, its limit and what it uses.
    groups: Vec<(u64, u64)>,
}

impl Said {
    fn now() -> Said {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let [address_space, data] = resource_limits();
        Said {
            meminfo: read("/proc/meminfo"),
            status: read("/proc/self/status"),
            address_space,
            data,
            groups: groups(&read("/proc/self/cgroup"), &|path| fs::read_to_string(path).ok()),
        }
    }

    /// What a search may hold where nobody names a limit.
    fn allowance(&self) -> Option<Allowance> {
        let free = kilobytes(&self.meminfo, "MemAvailable:");
        let machine = free.map(|free| Allowance { bytes: free / 4 * 3, by: By::Machine });
        machine.into_iter().chain(self.imposed()).min_by_key(|allowance| allowance.bytes)
    }

    /// What no search can go beyond, whatever anyone names.
    fn imposed(&self) -> Option<Allowance> {
        let used = |key| kilobytes(&self.status, key).unwrap_or(0);
        let address_space = self.address_space.map(|limit| (By::AddressSpace(limit), limit, used("VmSize:")));
        let data = self.data.map(|limit| (By::Data(limit), limit, used("VmData:")));
        let groups = self.groups.iter().map(|&(limit, used)| (By::Group(limit), limit, used));
        let all = address_space.into_iter().chain(data).chain(groups);
        all.map(|(by, limit, used)| Allowance { bytes: beyond_head_room(limit.saturating_sub(used)), by })
            .min_by_key(|allowance| allowance.bytes)
    }
}

/// The limits on the address space and on the data of this process, where the system has such limits.
fn resource_limits() -> [Option<u64>; 2] {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit};
        [Resource::As, Resource::Data].map(|resource| getrlimit(resource).current)
    }
    #[cfg(not(unix))]
    [None, None]
}

/// What a search may hold where nobody names a limit.
pub fn allowance() -> Option<Allowance> {
    Said::now().allowance()
}

/// What no search can go beyond, whatever anyone names.
pub fn imposed() -> Option<Allowance> {
    Said::now().imposed()
}

/// What is left for a search of so much room: three quarters, and less where that leaves next to nothing for the rest.
fn beyond_head_room(room: u64) -> u64 {
    (room - (room / 4).max(HEAD_ROOM.min(room / 2))).max(LEAST)
}

/// The limit and the use of each control group around a process, of the first and of the second version.
fn groups(own: &str, read: &dyn Fn(&Path) -> Option<String>) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, names) = match controllers {
            "" => ("/sys/fs/cgroup", ["memory.max", "memory.current"]),
            some if some.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", ["memory.limit_in_bytes", "memory.usage_in_bytes"])
            }
            _ => continue,
        };
        // In a container the path can be that of the machine, while only its end is there.
        let path = Path::new(path.trim_start_matches('/'));
        for group in path.ancestors() {
            let number =
                |name: &str| read(&Path::new(root).join(group).join(name))?.trim().parse::<u64>().ok();
            let [limit, used] = names.map(number);
            // Without a limit the second version says `max`, and the first a number beyond every machine.
            let limit = limit.filter(|&limit| limit < 1 << 60);
            // What the system keeps of files that nobody reads any more is given back when it is needed.
            let files = limit.and_then(|_| read(&Path::new(root).join(group).join("memory.stat")));
            let used = used.unwrap_or(0).saturating_sub(files.map_or(0, |text| idle(&text)));
            found.extend(limit.map(|limit| (limit, used)));
        }
    }
    found
}

/// The bytes of files that have not been used for some time, in the statistics of a control group.
fn idle(statistics: &str) -> u64 {
    let of = |name| statistics.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    of("total_inactive_file ").or_else(|| of("inactive_file ")).unwrap_or(0)
}

fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;
    const GIB: u64 = 1 << 30;

    fn said() -> Said {
        Said {
            meminfo: "MemTotal: 33554432 kB\nMemAvailable:   16777216 kB\n".to_string(),
            status: "VmPeak:\t 90000 kB\nVmSize:\t 24576 kB\nVmData:\t 8192 kB\n".to_string(),
            ..Said::default()
        }
    }

    #[test]
    fn a_line_of_the_kernel_is_read() {
        assert_eq!(kilobytes("VmPeak:\t 9 kB\nVmHWM:\t    1234 kB\n", "VmHWM:"), Some(1234 * 1024));
        assert_eq!(kilobytes("VmHWM: lots\n", "VmHWM:"), None);
        assert_eq!(kilobytes("", "VmHWM:"), None);
    }

    #[test]
    fn the_machine_allows_three_quarters_of_what_is_free() {
        let allowance = said().allowance().expect("an allowance");
        assert_eq!(allowance, Allowance { bytes: 12 * GIB, by: By::Machine });
        assert_eq!(
            allowance.to_string(),
            "12.0 GiB, three quarters of the memory that was free at the start"
        );
        assert_eq!((said().imposed(), Said::default().allowance()), (None, None));
    }

    #[test]
    fn the_tightest_limit_counts_and_is_named() {
        let tight = Said { address_space: Some(1024 * MIB), data: Some(4 * GIB), ..said() };
        let allowance = tight.allowance().expect("an allowance");
        assert_eq!(allowance, Allowance { bytes: 750 * MIB, by: By::AddressSpace(1024 * MIB) });
        assert_eq!(
            allowance.to_string(),
            "750.0 MiB, what the address-space limit (ulimit -v) of 1.00 GiB leaves to a search"
        );
        assert_eq!(tight.imposed(), Some(allowance));
        let data = Said { data: Some(208 * MIB), ..tight.clone() };
        // 200 MiB are left, and a quarter of that is less than the rest of a program needs.
        assert_eq!(data.allowance(), Some(Allowance { bytes: 136 * MIB, by: By::Data(208 * MIB) }));
        let group = Said { groups: vec![(8 * GIB, GIB), (512 * MIB, 112 * MIB)], ..tight };
        assert_eq!(group.allowance(), Some(Allowance { bytes: 300 * MIB, by: By::Group(512 * MIB) }));
        let full = Said { address_space: Some(MIB), ..said() };
        assert_eq!(full.allowance(), Some(Allowance { bytes: MIB, by: By::AddressSpace(MIB) }));
    }

    #[test]
    fn control_groups_of_both_versions_are_found_up_to_the_root() {
        let read = |path: &Path| {
            let text = match path.to_str()? {
                "/sys/fs/cgroup/user.slice/job/memory.max" => "max\n",
                "/sys/fs/cgroup/user.slice/memory.max" => "1000000\n",
                "/sys/fs/cgroup/user.slice/memory.current" => "400000\n",
                "/sys/fs/cgroup/user.slice/memory.stat" => "anon 5\ninactive_file 100000\nactive_file 7\n",
                "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes" => "2000000\n",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes" => "9223372036854771712\n",
                _ => return None,
            };
            Some(text.to_string())
        };
        assert_eq!(groups("0::/user.slice/job\n", &read), [(1_000_000, 300_000)]);
        assert_eq!(groups("5:cpu,memory:/docker\n4:pids:/docker\n", &read), [(2_000_000, 0)]);
        assert_eq!(groups("", &read), []);
        assert_eq!(groups("nonsense\n", &read), []);
    }
}
