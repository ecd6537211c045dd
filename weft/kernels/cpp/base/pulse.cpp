// Without Python: a kernel that keeps Python's lock for long is no reason to be taken for dead, and a process that
// waits in MPI's start or end with the lock held must end, too. The protocol is described in weft/distributed/pulse.py.
#include "pulse.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>

namespace weft {
namespace {

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

std::atomic<int> current{0};        // the number of the thread that may act; stop counts it up

std::string word(const std::string& line, const std::string& key) {
    const size_t at = (" " + line).find(" " + key + "=");
    if (at == std::string::npos) return "";
    const size_t from = at + key.size() + 1;
    return line.substr(from, line.find(' ', from) - from);
}

struct Pulse {
    PulseSettings settings;
    int number;
    std::string unread;

    bool mine() const { return current.load() == number; }

    void pause(double seconds) const { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

    void end(const std::string& reason, double grace) const {
        pause(grace);
        if (!mine()) return;
        const std::string text = "rank " + std::to_string(settings.rank) + ": " + reason + "; this process ends too\n";
        for (const int file : settings.tell)
            if (::write(file, text.data(), text.size()) < 0) continue;
        _exit(1);
    }

    // false: nothing more will come
    bool read_lines() {
        char bytes[512];
        const ssize_t count = ::recv(settings.link, bytes, sizeof bytes, MSG_DONTWAIT);
        if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        if (count == 0) return false;
        unread.append(bytes, size_t(count));
        for (size_t stop; (stop = unread.find('\n')) != std::string::npos; unread.erase(0, stop + 1)) {
            const std::string line = unread.substr(0, stop), command = word(line, "cmd"), who = word(line, "rank");
            if (command == "end") current.fetch_add(mine());
            if (command == "lost") end("rank " + who + " has ended without saying goodbye", settings.grace);
            if (command == "silent")
                end("rank " + who + " has been silent for " + word(line, "seconds") +
                    " s: stopped, or its machine or network is gone", 0);
        }
        return true;
    }

    void run() {
        using clock = std::chrono::steady_clock;
        const auto tick = std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(settings.tick));
        auto next = clock::now();
        // counted, not measured: a process that was stopped itself hears nothing meanwhile
        const int most = int(std::ceil(settings.limit / settings.tick));
        for (int quiet = 0; mine();) {
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(next - clock::now()).count();
            pollfd asked{settings.link, POLLIN, 0};
            if (::poll(&asked, 1, left > 0 ? int(left) + 1 : 0) > 0) {
                quiet = 0;
                if (!read_lines()) {
                    end("the server of rank 0, where the processes meet, has gone", settings.grace);
                    return;
                }
            }
            if (clock::now() < next) continue;
            next = clock::now() + tick;
            const char beat[] = "cmd=beat\n";
            (void)!::send(settings.link, beat, sizeof beat - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
            if (++quiet > most)
                end("nothing is heard of the server of rank 0, where the processes meet: its machine or network is "
                    "gone", 0);
        }
    }
};

}  // namespace

bool pulse_start(const PulseSettings& settings) {
    // signals are for Python's own threads
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool made = true;
    try {
        std::thread([pulse = Pulse{settings, current.fetch_add(1) + 1, ""}]() mutable { pulse.run(); }).detach();
    } catch (...) {
        made = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return made;
}

void pulse_stop() { current.fetch_add(1); }

}  // namespace weft
