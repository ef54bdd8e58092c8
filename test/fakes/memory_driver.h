#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "cloud/driver.h"

namespace atl::fakes {

/// A back end in memory: the Driver that tests of diff, apply and reconcilers use. Things are Pending for `pending`
/// observations after they are made and Deleting for `deleting` observations before they go.
///
/// Output "id" is "id-<n>". What a created thing refers to (ids found anywhere in its properties) is in `uses`, and
/// removing something that is in use is a Conflict.
class MemoryDriver final : public cloud::Driver {
public:
    explicit MemoryDriver(std::vector<cloud::Kind> kinds) : kinds_(std::move(kinds)) {}

    std::span<const cloud::Kind> kinds() const override { return kinds_; }
    Task<cloud::World> observe(cloud::Owner owner, Instant deadline) override;
    Task<std::vector<cloud::Accepted>> apply(cloud::Batch batch, Instant deadline) override;

    int pending = 0;
    int deleting = 0;
    /// Returned, one a call, by the next calls of apply for every step, before any effect.
    std::deque<Error> next_errors;
    /// Effects so far, in order: "create machine \"a\"".
    std::vector<std::string> effects;
    /// What exists, by owner id; tests may change it.
    std::map<std::string, std::vector<cloud::Observed>> things;

private:
    struct Countdown {
        int pending = 0;
        int deleting = -1;
    };
    std::optional<Error> run(const cloud::Owner& owner, const cloud::Step& step, std::string& id);
    std::optional<Error> create(std::vector<cloud::Observed>& mine, const cloud::Step& step, std::string& id);
    std::optional<Error> remove(std::vector<cloud::Observed>& mine, const std::string& id);

    std::vector<cloud::Kind> kinds_;
    std::map<std::string, Countdown> countdowns_;  // by id
    int next_id_ = 1;
};

}  // namespace atl::fakes
