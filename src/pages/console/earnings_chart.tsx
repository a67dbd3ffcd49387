/** @jsxImportSource preact */
/**
 * A provider's earnings by day.
 *
 * @module
 */
import type { Earnings } from "../../accounts/earnings/earnings.ts";
import { Chart } from "../layout/parts.tsx";

export function EarningsChart({ of }: { readonly of: Earnings }) {
  return (
    <Chart
      title="Net earnings by day, USD"
      series={["net", "gross"]}
      points={of.groups.map((group) => ({
        at: group.date ?? "",
        values: [group.net_usd, group.gross_usd],
      }))}
    />
  );
}
