/** One default metric of prom-client's, which types only all of them together. */
declare module "prom-client/lib/metrics/*" {
  import type { Registry } from "prom-client";

  const register: (
    registry: Registry,
    options: { readonly eventLoopMonitoringPrecision: number },
  ) => void;
  export default register;
}
