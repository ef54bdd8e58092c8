#include "operator/apiserver/api_request.h"

#include <gtest/gtest.h>

namespace atl::apiserver {
namespace {

/// "verb group/version ns plural name subresource", or the status of the refusal.
std::string read(const std::string& method, const std::string& target) {
    net::ServerRequest http;
    http.method = method;
    http.target = target;
    const auto request = read_request(http);
    if (!request.ok()) return std::to_string(request.error().status());
    if (!request->is_resource) return request->verb + " " + request->path;
    return request->verb + " " + request->group + "/" + request->version + " " + request->ns + " " + request->plural +
           " " + request->name + " " + request->subresource;
}

TEST(ApiRequest, PathsAreTakenApart) {
    EXPECT_EQ(read("GET", "/api/v1/configmaps"), "list /v1  configmaps  ");
    EXPECT_EQ(read("GET", "/api/v1/namespaces/a/configmaps/c"), "get /v1 a configmaps c ");
    EXPECT_EQ(read("PUT", "/apis/x.y/v1/namespaces/a/widgets/w/status"), "update x.y/v1 a widgets w status");
    EXPECT_EQ(read("GET", "/api/v1/namespaces/a"), "get /v1 a namespaces a ");
    EXPECT_EQ(read("PUT", "/api/v1/namespaces/a/finalize"), "update /v1 a namespaces a finalize");
    EXPECT_EQ(read("DELETE", "/api/v1/namespaces/a/secrets"), "deletecollection /v1 a secrets  ");
    EXPECT_EQ(read("GET", "/version"), "get /version");
    EXPECT_EQ(read("GET", "/"), "get /");
    EXPECT_EQ(read("GET", "/api//v1///configmaps/"), "list /v1  configmaps  ");
}

TEST(ApiRequest, WhatCannotBeDecodedIsRefused) {
    for (const char* target :
         {"/%", "/%zz", "/a/%00", "/api/v1/configmaps?x=%zz", "/api/v1/configmaps?%00", "*", "", "http://x/version"})
        EXPECT_EQ(read("GET", target), "400") << target;
    EXPECT_EQ(read("GET", "/api/v1/namespaces/a/configmaps/c/d/e"), "404");
    EXPECT_EQ(read("GET", "/api/v1/namespaces/a/b%2Fc/d"), "get /v1 a b/c d ") << "an escaped slash parts nothing";
}

TEST(ApiRequest, AParameterIsSetUnlessItSaysNo) {
    for (const char* query : {"watch", "watch=", "watch=1", "watch=true", "watch=yes"})
        EXPECT_EQ(read("GET", std::string("/api/v1/configmaps?") + query), "watch /v1  configmaps  ") << query;
    for (const char* query : {"", "watch=0", "watch=false", "watch=False", "unwatch=1"})
        EXPECT_EQ(read("GET", std::string("/api/v1/configmaps?") + query), "list /v1  configmaps  ") << query;
    EXPECT_EQ(read("GET", "/api/v1/configmaps?watch=0&watch=1"), "list /v1  configmaps  ") << "the first one counts";
}

}  // namespace
}  // namespace atl::apiserver
