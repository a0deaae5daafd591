//! Times, sizes and large numbers in few characters, and words as a shell takes them.

use std::time::Duration;

/// `0.3 ms`, `42 ms`, `1.25 s`, `3 min 05 s`
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 0.00995 {
        format!("{:.1} ms", seconds * 1e3)
    } else if seconds < 0.9995 {
        format!("{:.0} ms", seconds * 1e3)
    } else if seconds < 59.995 {
        format!("{seconds:.2} s")
    } else {
        let seconds = seconds.round() as u64;
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

/// `512 KiB`, `64.0 MiB`, `1.5 GiB`
pub fn bytes(count: u64) -> String {
    let count = count as f64;
    const KIB: f64 = 1024.0;
    if count < KIB * KIB {
        format!("{:.0} KiB", count / KIB)
    } else if count < KIB * KIB * KIB {
        format!("{:.1} MiB", count / (KIB * KIB))
    } else {
        format!("{:.1} GiB", count / (KIB * KIB * KIB))
    }
}

/// A decimal number, shortened to its leading digits where it would burst a table: `1.2676e30`.
pub fn short(digits: &str) -> String {
    if digits.len() <= 15 {
        return digits.into();
    }
    format!("{}.{}e{}", &digits[..1], &digits[1..5], digits.len() - 1)
}

/// A word as a shell takes it.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=,:@%+".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_fit_the_size() {
        let shown = [0, 950, 9_949, 10_400, 999_400, 1_250_000, 59_994_000, 185_000_000]
            .map(|micros| duration(Duration::from_micros(micros)));
        assert_eq!(
            shown,
            ["0.0 ms", "0.9 ms", "9.9 ms", "10 ms", "999 ms", "1.25 s", "59.99 s", "3 min 05 s"]
        );
        assert_eq!([10 << 10, 64 << 20, 3 << 29].map(bytes), ["10 KiB", "64.0 MiB", "1.5 GiB"]);
        assert_eq!(short("1267650600228229401496703205376"), "1.2676e30");
    }
}
