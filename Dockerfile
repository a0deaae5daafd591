# fpsolve in an image: docker build -t fpsolve . && docker run --rm -v "$PWD:/work" fpsolve prog.bp
FROM rust:1-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo install --path . --root /out --no-track \
    && mkdir -p /out/share/man/man1 && /out/bin/fpsolve man --out /out/share/man/man1

FROM debian:bookworm-slim
COPY --from=build /out /usr/local
WORKDIR /work
ENTRYPOINT ["fpsolve"]
