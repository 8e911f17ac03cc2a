//! What the machine says about memory. Where it says nothing, the answer is `None`, and nobody guesses.

use std::fs;

/// The most memory that this process has held so far, in bytes.
pub(crate) fn peak_bytes() -> Option<u64> {
    kilobytes(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// The memory that this process can still get without pushing others out, in bytes.
pub(crate) fn available_bytes() -> Option<u64> {
    let free = kilobytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")?;
    Some(free.min(container_bytes().unwrap_or(u64::MAX)))
}

/// What a container still allows, if this is one.
fn container_bytes() -> Option<u64> {
    let read = |name: &str| -> Option<u64> {
        fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok()
    };
    read("memory.max")?.checked_sub(read("memory.current")?)
}

fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_kernel_is_read() {
        assert_eq!(kilobytes("VmPeak:\t 9 kB\nVmHWM:\t    1234 kB\n", "VmHWM:"), Some(1234 * 1024));
        assert_eq!(kilobytes("VmHWM: lots\n", "VmHWM:"), None);
        assert_eq!(kilobytes("", "VmHWM:"), None);
    }
}
