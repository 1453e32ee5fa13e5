#pragma once
// What is done to the values of a segment. Results differ from the plain ones by a few units in the
// last place.

#include "mechanisms/nmodl/optimise/optimise_body.hpp"

namespace hillock::nmodl {

/// exp(x) - 1 and 1 - exp(x) become calls that know x too: in single precision their digits are
/// lost near 0. Results in double stay what they are.
void name_differences(Values& values, Segment& segment);

/// exp(a·x + b) of one x: where the slopes a are small multiples of one slope, powers of its
/// exponential and constants.
void share_exponentials(Values& values, Segment& segment);

/// a/x and b/x become products with one 1/x.
void share_reciprocals(Values& values, Segment& segment);

/// (a/b)·b becomes a, where no quotient stays: derivatives of one that is turned over have it.
void cancel_quotients(Values& values, Segment& segment);

/// a·x + b·x becomes x·(a + b): sums over what comes of a body then share the sum in brackets.
void share_factors(Values& values, Segment& segment);

}  // namespace hillock::nmodl
