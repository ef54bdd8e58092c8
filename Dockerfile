# The operator's image: built from this tree on Debian 12; nobody's user, no shell, nothing but the program and its libraries.
# Where no registry is reachable, `scripts/image` does the same.
FROM debian:12-slim AS build
WORKDIR /src
COPY scripts/setup scripts/setup
RUN scripts/setup
COPY . .
RUN cmake --preset release && cmake --build --preset release --target atoll && scripts/image tree /image

FROM scratch
LABEL org.opencontainers.image.title=atoll \
      org.opencontainers.image.description="Manifests into running clusters and running software" \
      org.opencontainers.image.licenses=Apache-2.0
COPY --from=build /image/ /
ENV PATH=/usr/bin
USER 65532:65532
ENTRYPOINT ["/usr/bin/atoll"]
CMD ["operator"]
