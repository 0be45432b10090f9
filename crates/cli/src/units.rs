//! Durations and sizes as options write them: `500ms`, `30s`, `5min`, `1h`; `512MB`, `4GB`, `2GiB`.

use std::time::Duration;

/// The duration that the text denotes; a number without a unit counts seconds.
///
/// # Errors
/// A sentence for the user when the text is not a duration.
pub fn duration(text: &str) -> Result<Duration, String> {
    let complaint = || format!("`{text}` is no duration such as 500ms, 30s, 5min or 1h");
    let (number, unit) = split(text);
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(complaint()),
    };
    let number: f64 = number.parse().map_err(|_| complaint())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| complaint())
}

/// The number of bytes that the text denotes; `kB`, `MB`, `GB` count in thousands, `KiB`, `MiB`, `GiB` in 1024s.
///
/// # Errors
/// A sentence for the user when the text is not a size.
pub fn bytes(text: &str) -> Result<u64, String> {
    let complaint = || format!("`{text}` is no size such as 512MB, 4GB or 2GiB");
    let (number, unit) = split(text);
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "t" | "tb" => 1_000_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "tib" => 1 << 40,
        _ => return Err(complaint()),
    };
    let number: f64 = number.parse().map_err(|_| complaint())?;
    let total = number * factor as f64;
    if (0.0..1e18).contains(&total) { Ok(total as u64) } else { Err(complaint()) }
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5 s"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("5min"), Ok(Duration::from_secs(300)));
        assert_eq!(duration("30"), Ok(Duration::from_secs(30)));
        for bad in ["", "s", "-1s", "1 day", "1e99h", "1.2.3s"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(bytes("4GB"), Ok(4_000_000_000));
        assert_eq!(bytes("2GiB"), Ok(2 << 30));
        assert_eq!(bytes("0.5 kib"), Ok(512));
        for bad in ["", "GB", "-1", "4 apples", "9999999999TB"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
    }
}
