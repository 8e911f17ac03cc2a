//! Maps as text: a letter for each cell, T where the property holds, F where it fails, ? where nobody
//! knows, and nothing where there is no such configuration.

use super::{Panel, Region, RegionCell};
use crate::style::{Ink, Style};
use crate::width::{columns, tame};

impl Region {
    /// All maps, one below the other, with a line break at the end.
    pub fn text(&self, style: &Style) -> String {
        let mut out = format!("{}\n", style.paint(Ink::Strong, &tame(&self.title)));
        for panel in &self.panels {
            out.push_str(&format!("\n{}\n", tame(&panel.tally())));
            if !panel.caption.is_empty() {
                out.push_str(&format!("{}\n", tame(&panel.caption)));
            }
            out.push('\n');
            out.push_str(&self.map(panel, style));
        }
        out
    }

    fn map(&self, panel: &Panel, style: &Style) -> String {
        let labels = self.y.as_ref().map_or(0, |y| columns(&y.value(y.count.saturating_sub(1)).to_string()));
        let name = self.y.as_ref().map_or(String::new(), |y| tame(&y.name));
        let gutter = labels.max(columns(&name)) + 1;
        let Some(pitch) = [2, 1].into_iter().find(|pitch| gutter + 2 + self.x.count * pitch <= style.width)
        else {
            return format!("  {} columns are too many to be shown here\n", self.x.count);
        };
        let mut out = String::new();
        if !name.is_empty() {
            out.push_str(&format!("{name:>gutter$}\n"));
        }
        let wall = if style.unicode { '│' } else { '|' };
        for y in (0..self.height()).rev() {
            let label = self.y.as_ref().map_or(String::new(), |axis| axis.value(y).to_string());
            let cells: String = (0..self.x.count)
                .map(|x| {
                    let shown = painted(self.cell(panel, x, y), style);
                    if pitch == 2 { format!(" {shown}") } else { shown }
                })
                .collect();
            out.push_str(format!("{label:>gutter$} {wall}{cells}").trim_end());
            out.push('\n');
        }
        let (corner, floor) = if style.unicode { ('└', '─') } else { ('+', '-') };
        let width = self.x.count * pitch + 1;
        out.push_str(&format!("{:gutter$} {corner}{}\n", "", floor.to_string().repeat(width)));
        out.push_str(&format!("{:gutter$}  {}\n", "", self.scale(pitch)));
        out
    }

    /// The labels of the columns, and the name of their parameter.
    fn scale(&self, pitch: usize) -> String {
        let widest = columns(&self.x.value(self.x.count.saturating_sub(1)).to_string());
        let mut line = String::new();
        for at in self.x.ticks((widest + 1).div_ceil(pitch)) {
            let column = at * pitch + pitch - 1;
            if column >= columns(&line) + usize::from(!line.is_empty()) {
                line.push_str(&" ".repeat(column - columns(&line)));
                line.push_str(&self.x.value(at).to_string());
            }
        }
        format!("{line}  {}", tame(&self.x.name))
    }
}

fn painted(cell: RegionCell, style: &Style) -> String {
    match cell {
        RegionCell::Impossible => " ".to_string(),
        RegionCell::Holds => style.paint(Ink::Relief, "T"),
        RegionCell::Fails => style.paint(Ink::Alarm, "F"),
        RegionCell::Unknown => style.paint(Ink::Caution, "?"),
    }
}
