//! The exact figures of NFD-S by the formulas of Chen, Toueg and Aguilera, by numeric integration over the tail of any
//! distribution of delays. Nothing here simulates.

/// NFD-S on a network: all times in seconds.
pub(crate) struct ExactNfdS<'a> {
    pub(crate) eta: f64,
    pub(crate) delta: f64,
    pub(crate) loss: f64,
    /// The probability that a delay is longer than this.
    pub(crate) tail: &'a dyn Fn(f64) -> f64,
}

/// Mistake recurrence, mistake duration, query accuracy, and the mean detection time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExactFigures {
    pub(crate) recurrence: f64,
    pub(crate) duration: f64,
    pub(crate) accuracy: f64,
    pub(crate) detection: f64,
}

impl ExactNfdS<'_> {
    pub(crate) fn figures(&self) -> ExactFigures {
        let ExactNfdS { eta, delta, loss, tail } = *self;
        let mistake = (1.0 - loss) * (1.0 - tail(delta + eta)) * self.silent(0.0);
        let wrong = integral(&|x| self.silent(x), eta);
        ExactFigures {
            recurrence: eta / mistake,
            duration: wrong / mistake,
            accuracy: 1.0 - wrong / eta,
            detection: self.detection(),
        }
    }

    /// The last suspicion begins at the freshness point after that of the last heartbeat that arrives before it. If the
    /// last `g` heartbeats do not, that is `g` periods sooner, and may be before the crash, which comes at any moment of a
    /// period alike.
    fn detection(&self) -> f64 {
        let arrives = (1.0 - self.loss) * (1.0 - (self.tail)(self.delta + self.eta));
        let after = |missing: i32| {
            let left = 1.0 - f64::from(missing) + self.delta / self.eta;
            if left >= 1.0 { left - 0.5 } else { left.max(0.0).powi(2) / 2.0 }
        };
        let chance = |missing: i32| arrives * (1.0 - arrives).powi(missing);
        (0..200).map(|missing| chance(missing) * after(missing)).sum::<f64>() * self.eta
    }

    /// The probability that nothing fresh has arrived so long after a freshness point.
    fn silent(&self, x: f64) -> f64 {
        let heartbeats = (self.delta / self.eta).ceil() as u32;
        let missing = |j: u32| {
            let age = self.delta + x - f64::from(j) * self.eta;
            self.loss + (1.0 - self.loss) * if age < 0.0 { 1.0 } else { (self.tail)(age) }
        };
        (0..=heartbeats).map(missing).product()
    }
}

/// From 0 to an end, by the midpoint rule on many strips: what is integrated may have a kink anywhere.
fn integral(of: &dyn Fn(f64) -> f64, end: f64) -> f64 {
    const STRIPS: u32 = 200_000;
    let width = end / f64::from(STRIPS);
    (0..STRIPS).map(|strip| of((f64::from(strip) + 0.5) * width) * width).sum()
}

#[test]
fn the_formulas_give_the_published_values() {
    let tail = |x: f64| (-x / 0.02).exp();
    for (delta, recurrence, duration) in
        [(0.05, 11.068, 0.12525), (0.10, 60.59, 0.5660), (0.50, 101.01, 0.5302), (1.05, 1106.8, 0.1253)]
    {
        let found = ExactNfdS { eta: 1.0, delta, loss: 0.01, tail: &tail }.figures();
        assert!((found.recurrence / recurrence - 1.0).abs() < 5e-4, "{delta}: {found:?}");
        assert!((found.duration / duration - 1.0).abs() < 1e-3, "{delta}: {found:?}");
    }
}
