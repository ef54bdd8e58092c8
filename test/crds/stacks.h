#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "crds/stack.h"
#include "operator/base/manifest.h"

namespace atl::crds {

/// The Stack of a spec in YAML; one that does not decode is a failure.
inline StackSpec stack_of(std::string_view yaml) {
    Result<std::vector<ManifestDocument>> documents = parse_manifests(yaml);
    EXPECT_TRUE(documents.ok()) << documents.error().message();
    Result<Stack> stack = decode_stack({{"metadata", {{"name", "shop"}}}, {"spec", documents->at(0).object}});
    EXPECT_TRUE(stack.ok()) << stack.error().message();
    return stack->spec;
}

/// A forum as a composite of an application and a store, a plain mail service that both kinds reach, and a gateway.
inline constexpr std::string_view kForum = R"(
clusterRef: {name: local}
services:
- name: app
  container: {image: app, ports: [{name: http, containerPort: 8080}]}
  replicas: 2
  provides: [{name: http, port: http}]
  consumes: [{name: db, port: 5432}, {name: smtp, port: 25}]
- name: db
  container: {image: db, ports: [{name: pg, containerPort: 5432}], env: [{name: A, value: "1"}, {name: B, value: "1"}]}
  provides: [{name: pg, port: pg}]
- name: mail
  container: {image: mail, ports: [{name: smtp, containerPort: 25}]}
  provides: [{name: smtp, port: smtp}]
- name: forum
  composite:
    services: [{name: front, service: app}, {name: store, service: db}]
    links: [{name: db, from: {service: front, consumes: db}, to: {service: store, provides: pg}}]
    provides: [{name: web, from: {service: front, provides: http}}]
- name: portal
  composite:
    services: [{name: left, service: forum}, {name: right, service: forum}]
    provides: [{name: web, from: {service: left, provides: web}}]
links:
- {name: smtp, from: {service: app, consumes: smtp}, to: {service: mail, provides: smtp}}
gateways:
- {name: public, listeners: [{port: 80, protocol: HTTP}], routes: [{to: {service: portal, provides: web}}]}
volumes:
- {name: data, persistent: {size: 1Gi}}
- {name: conf, configMap: {name: conf}}
)";

}  // namespace atl::crds
