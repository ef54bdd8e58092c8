# The operator's image: built from this tree on Debian 12, run as nobody, without a shell's worth of extras.
FROM debian:12-slim AS build
WORKDIR /src
COPY scripts/setup scripts/setup
RUN scripts/setup
COPY . .
RUN cmake --preset release && cmake --build --preset release --target atoll && strip build/release/atoll \
 && mkdir -p /image/usr/bin /image/etc/ssl/certs \
 && cp build/release/atoll /image/usr/bin/atoll \
 && ldd build/release/atoll | grep -o '/[^ ]*' | sort -u | xargs -I{} cp --parents -L {} /image \
 && cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/

FROM scratch
COPY --from=build /image/ /
USER 65532:65532
ENTRYPOINT ["/usr/bin/atoll"]
CMD ["operator"]
