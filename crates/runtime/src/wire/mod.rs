//! Datagrams that let nobody in.
