// A thread that tells a server that this process lives, and ends the process when the server says that another doesn't.
#pragma once

#include <string>
#include <vector>

namespace weft {

struct PulseSettings {
    int link = -1;              // a connected socket
    int rank = 0;
    double tick = 0.5;          // seconds between two beats
    double limit = 6;           // seconds without a word from the server
    double grace = 2;           // seconds between the news of a process that has ended and this one's end
    std::vector<int> tell;      // files that the reason is written to
};

bool pulse_start(const PulseSettings& settings);    // false: no thread could be made
void pulse_stop();                                  // this process ends by itself: nothing ends it any more

}  // namespace weft
