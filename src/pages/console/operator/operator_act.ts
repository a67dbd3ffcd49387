/**
 * What an operator's buttons do, and what an operator's lists show: functions of `src/operator`, called with what a form
 * or an address says.
 *
 * @module
 */
import type { TObject } from "@sinclair/typebox";
import type { Actor } from "../../../accounts/actor.ts";
import { parseInput, readInput } from "../../../api/input/read_input.ts";
import { actOnce, referenceOf } from "../../../operator/act_once.ts";
import type { InputOf } from "../../../operator/operator.ts";
import type { Linking } from "../../../operator/sign_in_links.ts";
import type { FormField } from "../form_field.ts";
import { type ListPlace, listQuery } from "../lists.tsx";
import type { Acted, Change, Confirmation, Form, Visit } from "../visit.ts";

interface Given {
  /** Members of the input that the page knows. A mistake in one is not a mistake in the form. */
  readonly known?: Readonly<Record<string, string>>;
  /** Members that were typed. Money is read from its digits. */
  readonly typed?: object;
}

interface OperatorAct<Schema extends TObject, Outcome> {
  /** The function's input. */
  readonly input: Schema;
  given(visit: Visit, form: Form): Given;
  /** What the confirmation asks for, if the form did not. */
  readonly asks?: readonly FormField[];
  /** What will happen. */
  confirm(form: Form, visit: Visit): Confirmation | Promise<Confirmation>;
  /** @param reference names the form's ledger entry, so that a form that is sent twice makes one */
  run(
    operator: Linking,
    input: InputOf<Schema>,
    actor: Actor,
    reference: string | undefined,
  ): Promise<Outcome>;
  done(visit: Visit, outcome: Outcome): Acted;
}

/** A button whose function changes nothing more if it is called twice. */
export function operatorAct<Schema extends TObject, Outcome>(
  act: OperatorAct<Schema, Outcome>,
): Change {
  return actBy(act, (visit, form, run) => {
    const once = form.given("once");
    return run(once && referenceOf(visit.session.keyId, `console-${once}`));
  });
}

/** A button whose function makes something new each time: a form that is sent twice gets the first outcome again. */
export function operatorMakes<Schema extends TObject, Outcome extends object>(
  act: OperatorAct<Schema, Outcome>,
): Change {
  return actBy(act, async (visit, form, run) => {
    const once = form.given("once");
    if (once === undefined) return run(undefined);
    const call = {
      caller: visit.session,
      key: `console-${once}`,
      request: JSON.stringify(form.fields),
      isSafeToRepeat: false,
      // A new key is stored nowhere else.
      isSecret: true,
    };
    const { body } = await actOnce(visit.keeping, call, async () => ({
      status: 201,
      body: JSON.stringify(await run(undefined)),
    }));
    const outcome: Outcome = JSON.parse(body);
    return outcome;
  });
}

type Run<Outcome> = (reference: string | undefined) => Promise<Outcome>;

function actBy<Schema extends TObject, Outcome>(
  act: OperatorAct<Schema, Outcome>,
  runOnce: (visit: Visit, form: Form, run: Run<Outcome>) => Promise<Outcome>,
): Change {
  const read = (visit: Visit, form: Form) => inputOf(act.input, act.given(visit, form));
  const { asks } = act;
  return {
    ...(asks !== undefined && { asks }),
    confirm(form, visit) {
      // What would be refused for its input is not worth a confirmation.
      if (asks === undefined) read(visit, form);
      return act.confirm(form, visit);
    },
    async run(visit, form) {
      const input = read(visit, form);
      const { operator, actor } = visit;
      const run: Run<Outcome> = (reference) => act.run(operator, input, actor, reference);
      return act.done(visit, await runOnce(visit, form, run));
    },
  };
}

/** @throws {Problem} 400 for what is known, 422 for what was typed */
function inputOf<Schema extends TObject>(
  schema: Schema,
  { known = {}, typed = {} }: Given,
): InputOf<Schema> {
  const body = parseInput(JSON.stringify(typed));
  return readInput(schema, { path: known, query: {}, body });
}

interface InputPlace extends ListPlace {
  /** Members that the page sets. */
  readonly fixed?: Readonly<Record<string, string>>;
}

/** The input of a list's function: what the page's address says. @throws {Problem} 400 */
export function listInput<Schema extends TObject>(
  visit: Visit,
  schema: Schema,
  { fixed = {}, ...place }: InputPlace,
): InputOf<Schema> {
  const asked = Object.fromEntries(new URLSearchParams(listQuery(visit, place)));
  const query = { ...asked, limit: place.limit, ...fixed };
  return readInput(schema, { path: {}, query, body: undefined });
}
