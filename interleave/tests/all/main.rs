//! Tests of the search. That it agrees with formulae and with a brute-force explorer is tested in getafix.

mod search;
