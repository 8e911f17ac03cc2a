//! Claims about infinite runs of small spaces: known answers, programs of the textbooks, and spaces drawn at
//! random, each asked of the engine in all its ways and of a slow reference, with every lasso judged.

mod draw;
mod engines;
mod formulas;
mod known;
mod lasso;
mod limits;
mod programs;
mod random;
mod shrink;
mod spelling;
mod table;
mod together;
mod warned;
