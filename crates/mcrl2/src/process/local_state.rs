//! The local state of a sequential component: a stack of points with the values of their parameters. Behind the last one it
//! has ended.

use super::branches::{PointId, Points};
use super::values::{DataSide, ValueId};

/// A point with the values of its parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct StackFrame {
    pub(crate) point: PointId,
    pub(crate) values: Box<[ValueId]>,
}

/// Where a component stands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ComponentState {
    pub(crate) frames: Vec<StackFrame>,
}

impl ComponentState {
    /// The state in which these points come next, and behind them what came behind the first frame of this state.
    pub(crate) fn after(&self, points: &Points, mut frames: Vec<StackFrame>) -> ComponentState {
        let ends = frames.last().is_none_or(|frame| points.all[frame.point as usize].terminates);
        if ends {
            frames.extend(self.frames.iter().skip(1).cloned());
        }
        ComponentState { frames }
    }

    /// As it is written: points with their arguments, in order.
    pub(crate) fn text(&self, points: &Points, data: &DataSide) -> String {
        if self.frames.is_empty() {
            return "ended".to_string();
        }
        let frame = |frame: &StackFrame| {
            let title = &points.all[frame.point as usize].title;
            let values: Vec<String> = frame.values.iter().map(|&value| data.print(value)).collect();
            if values.is_empty() { title.clone() } else { format!("{title}({})", values.join(", ")) }
        };
        self.frames.iter().map(frame).collect::<Vec<_>>().join(" . ")
    }
}
