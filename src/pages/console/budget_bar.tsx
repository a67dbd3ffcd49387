/** @jsxImportSource preact */
/**
 * The part of a key's daily budget that is spent.
 *
 * @module
 */
import type { KeyBudget } from "../../accounts/budgets.ts";
import { withoutInvisible } from "../../lib/invisible_text.ts";
import { usdNumber } from "../../money/money.ts";
import { dollars } from "../layout/parts.tsx";

/** Percent from which a budget is nearly spent. */
const NEARLY = 80;
const WHOLE = 100;

interface BudgetBarProps {
  readonly of: Pick<KeyBudget, "daily_nanos" | "spent_nanos">;
  /** What has the budget, for people who can't see where the bar stands. */
  readonly name: string;
}

export function BudgetBar({ of, name }: BudgetBarProps) {
  const { daily_nanos: daily, spent_nanos: spent } = of;
  const percent = percentOf(spent, daily);
  return (
    <div class="budget">
      {/* From NEARLY on it changes its colour, and again when nothing is left. */}
      <meter
        min={0}
        max={WHOLE}
        low={NEARLY}
        high={WHOLE - 1}
        optimum={0}
        value={percent}
        aria-label={`Budget of ${withoutInvisible(name)}: ${percent}% spent today`}
      />
      <span class="small">
        {dollars(usdNumber(spent))} of {dollars(usdNumber(daily))} USD
      </span>
    </div>
  );
}

/** Whole percent, and not 100 before all is spent. A budget may have been lowered below what is spent. */
export function percentOf(spent: bigint, daily: bigint): number {
  return spent >= daily ? WHOLE : Number((spent * BigInt(WHOLE)) / daily);
}
