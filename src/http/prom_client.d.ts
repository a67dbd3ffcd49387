/** A single default metric of prom-client, which has types only for all of them together. */
declare module "prom-client/lib/metrics/*" {
  import type { Registry } from "prom-client";

  const register: (
    registry: Registry,
    options: { readonly eventLoopMonitoringPrecision: number },
  ) => void;
  export default register;
}
