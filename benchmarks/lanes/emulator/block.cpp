// Runs the threads of one block: wavefronts in turn, the lanes of a wavefront in lockstep.
#include "fiber.h"
#include "lanes.h"
#include "place.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <vector>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace {

int number(const char *name, int otherwise)
{
    const char *text = std::getenv(name);
    return text ? std::atoi(text) : otherwise;
}

} // namespace

const int warpSize = number("LANES", 64);

// All variables in shared memory of the program: the linker gives the section these names.
extern "C" char __start_lanes_shared[] __attribute__((weak));
extern "C" char __stop_lanes_shared[] __attribute__((weak));

namespace emulator {

alignas(64) char dynamic_shared[64 * 1024];

namespace {

constexpr std::size_t STACK = 128 * 1024;
constexpr unsigned MOST_THREADS = 1024;
constexpr int ENDLESS = 3;

enum class Waits { NO, FOR_LANES, FOR_BLOCK, ENDED };

struct Lane {
    Place place;
    Waits waits = Waits::NO;
    std::uint64_t word = 0;
    void *stack = nullptr;
    char *memory = nullptr;
    uint3 thread{};
    unsigned number = 0;
};

struct Wavefront {
    std::vector<Lane> lanes;
    Meeting meeting{};
    bool at_barrier = false;
};

struct Kernel {
    void (*body)(void *);
    void *arguments;
};

Kernel kernel;
Lane *running;
Wavefront *of_running;
void *scheduler;
Votes votes;
long steps_left;
long traps;

[[gnu::noinline]] void suspend(Waits waits, const void *frame)
{
    running->waits = waits;
    running->place = place_of(frame);
    lanes_switch(&running->stack, scheduler);
}

void thread_body()
{
    kernel.body(kernel.arguments);
    running->waits = Waits::ENDED;
    lanes_switch(&running->stack, scheduler);
}

char *stack_memory(unsigned thread)
{
    static void *all = mmap(nullptr, STACK * MOST_THREADS, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return static_cast<char *>(all) + thread * STACK;
}

void report(const char *fault, const std::vector<Wavefront> &wavefronts)
{
    std::fprintf(stderr, "lanes: %s in block (%u, %u, %u)\n", fault, blockIdx.x, blockIdx.y, blockIdx.z);
    for (const Wavefront &wavefront : wavefronts) {
        std::string drawn;
        for (const Lane &lane : wavefront.lanes)
            drawn += ".wB-"[static_cast<int>(lane.waits)];
        std::fprintf(stderr, "lanes:   %s\n", drawn.c_str());
    }
}

[[noreturn]] void give_up(const std::vector<Wavefront> &wavefronts)
{
    std::fflush(stdout);
    report("endless loop", wavefronts);
    std::_Exit(ENDLESS);
}

void run(Wavefront &wavefront, Lane &lane)
{
    running = &lane;
    of_running = &wavefront;
    threadIdx = lane.thread;
    lane.waits = Waits::NO;
    lanes_switch(&scheduler, lane.stack);
    running = nullptr;
    --steps_left;
}

// The lanes that have come least far and are at one place; empty if all have ended.
std::vector<Lane *> hindmost(Wavefront &wavefront)
{
    std::vector<Lane *> group;
    for (Lane &lane : wavefront.lanes) {
        if (lane.waits == Waits::ENDED)
            continue;
        if (!group.empty() && lane.place < group[0]->place)
            group.clear();
        if (group.empty() || lane.place == group[0]->place)
            group.push_back(&lane);
    }
    return group;
}

// Lets the hindmost lanes do one step together; false if the wavefront has ended.
bool advance(Wavefront &wavefront)
{
    const std::vector<Lane *> group = hindmost(wavefront);
    if (group.empty())
        return false;
    if (group[0]->waits == Waits::FOR_BLOCK) {
        wavefront.at_barrier = true;
        return true;
    }
    if (group[0]->waits == Waits::FOR_LANES) {
        wavefront.meeting.active = 0;
        for (const Lane *lane : group) {
            wavefront.meeting.active |= 1ull << lane->number;
            wavefront.meeting.words[lane->number] = lane->word;
        }
    }
    for (Lane *lane : group)
        run(wavefront, *lane);
    return true;
}

// All wavefronts that have not ended are at the barrier: they go on behind it.
void pass_barrier(std::vector<Wavefront> &wavefronts)
{
    std::vector<Lane *> waiting;
    for (Wavefront &wavefront : wavefronts)
        if (wavefront.at_barrier)
            for (Lane *lane : hindmost(wavefront))
                waiting.push_back(lane);
    votes = {};
    for (Lane *lane : waiting) {
        votes.threads += 1;
        votes.in_favour += lane->word != 0;
    }
    // Each reads the votes before it reaches its next step.
    for (Wavefront &wavefront : wavefronts) {
        if (wavefront.at_barrier)
            for (Lane *lane : hindmost(wavefront))
                run(wavefront, *lane);
        wavefront.at_barrier = false;
    }
}

std::vector<Wavefront> threads_of_block()
{
    const unsigned count = blockDim.x * blockDim.y * blockDim.z;
    std::vector<Wavefront> wavefronts((count + warpSize - 1) / warpSize);
    for (unsigned thread = 0; thread < count; ++thread) {
        Lane lane;
        lane.thread = {thread % blockDim.x, thread / blockDim.x % blockDim.y, thread / blockDim.x / blockDim.y};
        lane.number = thread % warpSize;
        lane.memory = stack_memory(thread);
        lane.stack = prepare_stack(lane.memory, STACK, thread_body);
        wavefronts[thread / warpSize].lanes.push_back(lane);
    }
    return wavefronts;
}

void run_block()
{
    // Nothing is in shared memory before a block writes it.
    std::memset(__start_lanes_shared, 0xa5, __stop_lanes_shared - __start_lanes_shared);
    std::memset(dynamic_shared, 0xa5, sizeof(dynamic_shared));
    std::vector<Wavefront> wavefronts = threads_of_block();
    static const long most_steps = number("LANES_STEPS", 20'000'000);
    steps_left = most_steps;
    for (;;) {
        unsigned ended = 0, at_barrier = 0;
        for (Wavefront &wavefront : wavefronts) {
            ended += !wavefront.at_barrier && !advance(wavefront);
            at_barrier += wavefront.at_barrier;
        }
        if (ended == wavefronts.size())
            return;
        if (ended + at_barrier == wavefronts.size())
            pass_barrier(wavefronts);
        if (steps_left < 0)
            give_up(wavefronts);
    }
}

void say_traps() { std::fprintf(stderr, "lanes: %ld traps\n", traps); }

bool is_address_of_own(const void *address)
{
    const char *at = static_cast<const char *>(address);
    const auto within = [at](const void *start, std::size_t size) {
        return at >= start && at < static_cast<const char *>(start) + size;
    };
    return within(running->memory, STACK) || within(&threadIdx, sizeof(threadIdx)) ||
           within(&blockIdx, sizeof(blockIdx)) || within(&blockDim, sizeof(blockDim)) ||
           within(&gridDim, sizeof(gridDim)) || within(&warpSize, sizeof(warpSize));
}

} // namespace

bool in_kernel() { return running != nullptr; }
unsigned lane() { return running->number; }

void trap()
{
    if (traps++ == 0)
        std::atexit(say_traps);
}

void step()
{
    if (running)
        suspend(Waits::NO, __builtin_frame_address(0));
}

const Meeting &meet(std::uint64_t word)
{
    running->word = word;
    suspend(Waits::FOR_LANES, __builtin_frame_address(0));
    return of_running->meeting;
}

Votes barrier(bool predicate)
{
    running->word = predicate;
    suspend(Waits::FOR_BLOCK, __builtin_frame_address(0));
    return votes;
}

bool launch(dim3 grid, dim3 block, std::size_t shared, void (*body)(void *), void *arguments)
{
    const std::size_t threads = std::size_t{block.x} * block.y * block.z;
    const std::size_t blocks = std::size_t{grid.x} * grid.y * grid.z;
    if (threads == 0 || threads > MOST_THREADS || blocks == 0 || shared > sizeof(dynamic_shared))
        return false;
    kernel = {body, arguments};
    gridDim = grid;
    blockDim = block;
    for (blockIdx.z = 0; blockIdx.z < grid.z; ++blockIdx.z)
        for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y)
            for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x)
                run_block();
    return true;
}

// The compiler calls these from programs that it compiles with -fsanitize-coverage: in every basic
// block, and before every access to memory.
#define LANES_STEP                                                                  \
    if (running)                                                                    \
        suspend(Waits::NO, __builtin_frame_address(0));
#define LANES_ACCESS(name)                                                          \
    extern "C" void __sanitizer_cov_##name(const void *address)                     \
    {                                                                               \
        if (running && !is_address_of_own(address))                                 \
            suspend(Waits::NO, __builtin_frame_address(0));                         \
    }
extern "C" void __sanitizer_cov_trace_pc() { LANES_STEP }
LANES_ACCESS(load1)
LANES_ACCESS(load2)
LANES_ACCESS(load4)
LANES_ACCESS(load8)
LANES_ACCESS(load16)
LANES_ACCESS(store1)
LANES_ACCESS(store2)
LANES_ACCESS(store4)
LANES_ACCESS(store8)
LANES_ACCESS(store16)

} // namespace emulator
