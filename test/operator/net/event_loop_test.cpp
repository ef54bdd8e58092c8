#include "operator/net/event_loop.h"

#include <csignal>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "operator/base/deadline.h"
#include "test/operator/net/real_loop.h"

namespace atl::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(EventLoop, RunsTimersInTheOrderOfTheirTimesAndTheirComing) {
    EventLoop loop;
    std::string order;
    const Instant now = loop.now();
    loop.call_at(now + milliseconds(20), [&] { order += 'c'; });
    loop.call_at(now + milliseconds(10), [&] { order += 'a'; });
    loop.call_at(now + milliseconds(10), [&] { order += 'b'; });
    const auto taken_back = loop.call_at(now + milliseconds(5), [&] { order += 'x'; });
    loop.cancel_timer(taken_back);
    loop.cancel_timer(taken_back);
    loop.cancel_timer(12345);
    EXPECT_EQ(order, "") << "a timer never fires from within call_at";
    EXPECT_TRUE(run_until(loop, [&] { return order.size() == 3; }));
    EXPECT_EQ(order, "abc");
    EXPECT_GE(loop.now() - now, milliseconds(20));
}

TEST(EventLoop, ATimerMayTakeBackOneThatIsDueToo) {
    EventLoop loop;
    std::string order;
    Clock::TimerId second = 0;
    loop.call_at(loop.now(), [&] {
        order += 'a';
        loop.cancel_timer(second);
    });
    second = loop.call_at(loop.now(), [&] { order += 'b'; });
    run_for(loop, milliseconds(20));
    EXPECT_EQ(order, "a");
}

TEST(EventLoop, ATimerThatSetsItselfAgainDoesNotStarveTheRest) {
    EventLoop loop;
    int rounds = 0;
    bool posted = false;
    std::function<void()> again = [&] {
        ++rounds;
        loop.call_at(loop.now(), again);
    };
    again();
    loop.post([&] { posted = true; });
    EXPECT_TRUE(run_until(loop, [&] { return posted && rounds > 10; }));
}

TEST(EventLoop, RunsWhatOtherThreadsPost) {
    EventLoop loop;
    int count = 0;
    std::thread other([&] {
        for (int i = 0; i < 1000; ++i) loop.post([&] { ++count; });
    });
    EXPECT_TRUE(run_until(loop, [&] { return count == 1000; }));
    other.join();
}

TEST(EventLoop, LetsAnExceptionOutAndRunsOnAfterwards) {
    EventLoop loop;
    bool ran = false;
    loop.post([] { throw std::runtime_error("bug"); });
    loop.post([&] { ran = true; });
    EXPECT_THROW(loop.run(), std::runtime_error);
    EXPECT_TRUE(run_until(loop, [&] { return ran; }));
}

TEST(EventLoop, CallsBackAtTheFirstSignalAndLetsTheSecondKill) {
    EXPECT_EXIT(
        {
            EventLoop loop;
            bool told = false;
            loop.on_stop_signal([&](int signal) { told = signal == SIGTERM; });
            loop.post([] { ::raise(SIGTERM); });
            if (!run_until(loop, [&] { return told; })) ::_exit(1);
            ::raise(SIGTERM);
            ::_exit(2);
        },
        testing::KilledBySignal(SIGTERM), "");
}

TEST(EventLoop, WaitsForReadinessUntilThePatienceEnds) {
    EventLoop loop;
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    auto mine = loop.adopt(ends[0]);
    auto other = loop.adopt(ends[1]);
    const Instant begun = loop.now();
    EXPECT_FALSE(*run(loop, mine->ready(Direction::Read, milliseconds(30))));
    EXPECT_GE(loop.now() - begun, milliseconds(30));
    EXPECT_TRUE(*run(loop, mine->ready(Direction::Write, milliseconds(30))));
    ASSERT_EQ(::send(ends[1], "a", 1, 0), 1);
    EXPECT_TRUE(*run(loop, mine->ready(Direction::Read, milliseconds(30))));
    char byte = 0;
    ASSERT_EQ(::recv(ends[0], &byte, 1, 0), 1);
    EXPECT_FALSE(*run(loop, mine->ready(Direction::Read, milliseconds(30))));
    other.reset();
    EXPECT_TRUE(*run(loop, mine->ready(Direction::Read, milliseconds(30)))) << "a hang-up counts as readable";
}

TEST(EventLoop, AWaitEndsWhenItsDescriptorIsClosed) {
    EventLoop loop;
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    auto mine = loop.adopt(ends[0]);
    auto other = loop.adopt(ends[1]);
    loop.call_at(loop.now() + milliseconds(10), [&] { mine->close(); });
    EXPECT_EQ(run(loop, mine->ready(Direction::Read, kForever)).error().reason(), "ConnectionLost");
    EXPECT_EQ(run(loop, mine->ready(Direction::Read, kForever)).error().reason(), "ConnectionLost");
}

TEST(EventLoop, ADroppedWaitDoesNotDisturbTheNextOne) {
    EventLoop loop;
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    auto mine = loop.adopt(ends[0]);
    auto other = loop.adopt(ends[1]);
    for (int i = 0; i < 100; ++i) {
        RootTask<bool> dropped(mine->ready(Direction::Read, kForever), [](auto, const std::exception_ptr&) {});
        dropped.start();
    }
    loop.call_at(loop.now() + milliseconds(10), [&] { ::send(ends[1], "a", 1, 0); });
    EXPECT_TRUE(*run(loop, mine->ready(Direction::Read, seconds(5))));
}

TEST(EventLoop, LooksUpNamesAndTakesLiteralAddresses) {
    EventLoop loop;
    EXPECT_EQ(run(loop, loop.resolve("127.0.0.1", 80))->size(), 1U);
    EXPECT_EQ(run(loop, loop.resolve("::1", 80))->front().family, AF_INET6);
    EXPECT_GE(run(loop, loop.resolve("localhost", 80))->size(), 1U);
    const auto unknown = run(loop, loop.resolve("name.invalid", 80));
    ASSERT_FALSE(unknown.ok());
    EXPECT_EQ(unknown.error().reason(), "ConnectFailed");
    EXPECT_NE(unknown.error().message().find("name.invalid"), std::string::npos);
}

TEST(EventLoop, MayBeDestroyedWhileATaskWaitsInWhatWasPosted) {
    auto loop = std::make_unique<EventLoop>();
    auto holder = std::make_shared<std::unique_ptr<RootTask<void>>>();
    *holder = std::make_unique<RootTask<void>>(sleep_for(*loop, seconds(100)), [](auto, const std::exception_ptr&) {});
    (*holder)->start();
    loop->post([holder] {});
    holder.reset();
    loop.reset();
}

}  // namespace
}  // namespace atl::net
