//! Times and sizes as people write them.

use std::time::Duration;

/// `500ms`, `30s`, `2.5m`, `1h`; a number alone is seconds.
pub fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let scale = match unit {
        "ms" => 1e-3,
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("write a time such as 500ms, 30s, 5m or 1h".into()),
    };
    let number: f64 = number.parse().map_err(|_| "write a time such as 500ms, 30s, 5m or 1h")?;
    Duration::try_from_secs_f64(number * scale).map_err(|_| "that is too long".into())
}

/// `512MiB`, `4GiB`, `1.5G` in powers of 1024; `MB` and `GB` in powers of 1000.
pub fn size(text: &str) -> Result<u64, String> {
    let usage = "write a size such as 512MiB or 4GiB";
    let (number, unit) = split(text);
    let scale: u64 = match unit.to_ascii_lowercase().as_str() {
        "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => return Err(usage.into()),
    };
    let number: f64 = number.parse().map_err(|_| usage)?;
    let bytes = number * scale as f64;
    if bytes < 1.0 || bytes > u64::MAX as f64 { Err(usage.into()) } else { Ok(bytes as u64) }
}

/// The number and its unit. Only digits and a point make a number: no signs, no exponents.
fn split(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(time("30"), Ok(Duration::from_secs(30)));
        assert_eq!(time("1.5 m"), Ok(Duration::from_secs(90)));
        for bad in ["", "s", "-3s", "1e3s", "3 days", "1.2.3s", "99999999999999999999h"] {
            assert!(time(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("64MiB"), Ok(64 << 20));
        assert_eq!(size("1.5g"), Ok(3 << 29));
        assert_eq!(size("2MB"), Ok(2_000_000));
        for bad in ["", "64", "MiB", "-1MiB", "0MiB", "4XB"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
