//! Zeroed memory for tables. On Linux it comes straight from the operating system: in huge pages, so that a random
//! access costs one miss and not two, untouched until used, and given back at once when dropped. Elsewhere it comes from
//! the allocator. The only unsafe code of the engines is here, because the standard library has no such allocation.
#![allow(unsafe_code)]

use super::atomics::{AtomicU32, AtomicU64};
use std::ptr::NonNull;

/// A table is cut into `1 << SHARD_BITS` shards.
pub(crate) const SHARD_BITS: u32 = 5;
/// A shard has at least `1 << SMALLEST_BITS` places.
pub(crate) const SMALLEST_BITS: u32 = 8;

/// Words that many threads may share; all 0 at first.
pub(crate) struct Words {
    start: NonNull<AtomicU64>,
    len: usize,
    /// Owns the memory that `start` points into.
    _memory: Memory,
}

// SAFETY: the words are atomics and the memory belongs to this value alone, so it may be used and
// dropped from any thread.
unsafe impl Send for Words {}
// SAFETY: as above; shared access goes through atomics only.
unsafe impl Sync for Words {}

impl Words {
    /// `len` words that are 0, or `None` if there is no memory for them.
    pub fn zeroed(len: usize) -> Option<Words> {
        let bytes = len.checked_mul(size_of::<AtomicU64>())?;
        let (memory, start) = Memory::zeroed(bytes)?;
        Some(Words { start: start.cast(), len, _memory: memory })
    }

    /// The words.
    #[inline]
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: `Memory` gives at least `len` words from `start`, aligned to a word or more, zeroed (a valid value for
        // atomics), and lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// The same memory as half words. A user of one view must not use the other.
    #[inline]
    pub fn halves(&self) -> &[AtomicU32] {
        // SAFETY: twice as many values of half the size and a smaller alignment; zero is a valid value.
        // Both views are atomics in memory of this value's own, so even mixed use could not be undefined
        // for want of initialisation; mixed sizes are kept apart by the tables' forms.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().cast(), 2 * self.len) }
    }

    /// Asks for the word at this place to be near when it is needed. Never fails.
    #[inline]
    pub fn prefetch(&self, at: usize) {
        debug_assert!(at < self.len);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch does not access memory in the sense of the language; any address will do.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(self.start.as_ptr().wrapping_add(at).cast::<i8>());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = at;
    }
}

/// Memory of its own from the operating system, given back when dropped.
#[cfg(target_os = "linux")]
struct Memory {
    mapping: NonNull<libc::c_void>,
    mapped: usize,
}

#[cfg(target_os = "linux")]
impl Memory {
    /// At least so many bytes that are 0, and where they begin, at the begin of a page.
    fn zeroed(bytes: usize) -> Option<(Memory, NonNull<libc::c_void>)> {
        const HUGE_PAGE: usize = 2 << 20;
        let slack = if bytes >= HUGE_PAGE { HUGE_PAGE } else { 0 };
        let mapped = bytes.checked_add(slack)?.max(1);
        // SAFETY: an anonymous private mapping at an address of the system's choice touches nothing that
        // exists; the result is checked.
        let mapping = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapped,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if mapping == libc::MAP_FAILED {
            return None;
        }
        let memory = Memory { mapping: NonNull::new(mapping)?, mapped };
        let offset = if slack > 0 { mapping.align_offset(HUGE_PAGE) } else { 0 };
        // SAFETY: `offset` is below `slack`, so `offset + bytes` lies within the mapping.
        let start = unsafe { memory.mapping.byte_add(offset) };
        if slack > 0 {
            // SAFETY: the range lies within the mapping. It is advice: its failure changes only speed.
            unsafe { libc::madvise(start.as_ptr(), bytes, libc::MADV_HUGEPAGE) };
        }
        Some((memory, start))
    }
}

#[cfg(target_os = "linux")]
impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: this is the mapping made in `zeroed`, and nothing borrows from it any more.
        unsafe { libc::munmap(self.mapping.as_ptr(), self.mapped) };
    }
}

/// Memory of its own from the allocator, given back when dropped: the calls for huge pages are Linux's.
#[cfg(not(target_os = "linux"))]
struct Memory {
    start: NonNull<u8>,
    layout: std::alloc::Layout,
}

#[cfg(not(target_os = "linux"))]
impl Memory {
    /// At least so many bytes that are 0, and where they begin, aligned to a word.
    fn zeroed(bytes: usize) -> Option<(Memory, NonNull<u8>)> {
        let layout = std::alloc::Layout::from_size_align(bytes.max(1), align_of::<AtomicU64>()).ok()?;
        // SAFETY: the layout is not empty; the result is checked.
        let start = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) })?;
        Some((Memory { start, layout }, start))
    }
}

#[cfg(not(target_os = "linux"))]
impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: this is the allocation made in `zeroed` with this layout, and nothing borrows from it any more.
        unsafe { std::alloc::dealloc(self.start.as_ptr(), self.layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn memory_is_zero_and_keeps_what_is_written() {
        for len in [1, 1000, 3 * (2 << 20) / 8 + 5] {
            let memory = Words::zeroed(len).expect("memory");
            assert_eq!(memory.words().len(), len);
            assert!(memory.words().iter().all(|word| word.load(Ordering::Relaxed) == 0));
            memory.words()[len - 1].store(7, Ordering::Relaxed);
            memory.prefetch(len - 1);
            assert_eq!(memory.words()[len - 1].load(Ordering::Relaxed), 7);
        }
    }

    #[test]
    fn too_much_memory_is_refused_and_not_a_crash() {
        assert!(Words::zeroed(usize::MAX / 4).is_none());
    }
}
