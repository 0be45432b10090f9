//! Memory that processes use, as the system reports it (Linux).

/// The unit of `/proc`: the page; the systems that have that file and run this program use 4 KiB.
const PAGE: u64 = 4096;

/// The size of this process in memory, where the system reports it.
pub fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split(' ').nth(1)?.parse().ok()?;
    Some(pages * PAGE)
}

/// The processes of these groups, each with its size in memory.
pub(crate) fn members(groups: &[u32]) -> Vec<(u32, u64)> {
    if groups.is_empty() {
        return vec![];
    }
    let Ok(entries) = std::fs::read_dir("/proc") else { return vec![] };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter_map(|process| member(process, groups)).collect()
}

fn member(process: u32, groups: &[u32]) -> Option<(u32, u64)> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second word is the name in parentheses, which may contain anything.
    let (_, words) = stat.rsplit_once(')')?;
    let words: Vec<&str> = words.split_whitespace().collect();
    let group: u32 = words.get(2)?.parse().ok()?;
    let pages: u64 = words.get(21)?.parse().ok()?;
    groups.contains(&group).then_some((process, pages * PAGE))
}
