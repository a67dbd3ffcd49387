/**
 * The functions of operators' buttons and lists: they call `src/operator` with the input of a form or an address.
 *
 * @module
 */
import type { TObject } from "@sinclair/typebox";
import type { Actor } from "../../../accounts/actor.ts";
import { readInput } from "../../../api/input/read_input.ts";
import { actOnce, referenceOf } from "../../../operator/act_once.ts";
import type { InputOf } from "../../../operator/operator.ts";
import type { FormField } from "../form_field.ts";
import { type Given, inputOf } from "../form_input.ts";
import { type ListPlace, listQuery } from "../lists.tsx";
import type { Acted, Change, Confirmation, Form, Visit } from "../visit.ts";

/** What an operator's function gets. */
type Acting = Visit["operator"];

interface OperatorForm<Schema extends TObject> {
  /** The function's input. */
  readonly input: Schema;
  given(visit: Visit, form: Form): Given;
  /** What the confirmation asks for, if the form did not. */
  readonly asks?: readonly FormField[];
  /** What will happen. Without it, the button acts at once. */
  confirm?(form: Form, visit: Visit): Confirmation | Promise<Confirmation>;
}

interface OperatorAct<Schema extends TObject> extends OperatorForm<Schema> {
  run(operator: Acting, input: InputOf<Schema>, actor: Actor): Promise<unknown>;
  done(visit: Visit, form: Form): Acted;
}

/** A button whose function may run again without harm. A form that is sent twice still runs it once. */
export function operatorAct<Schema extends TObject>(act: OperatorAct<Schema>): Change {
  return changeBy(act, async (visit, form, input) => {
    await remembered(visit, form, {
      isSafeToRepeat: true,
      async act() {
        await act.run(visit.operator, input, visit.actor);
        return {};
      },
    });
    return act.done(visit, form);
  });
}

interface OperatorEntry<Schema extends TObject> extends OperatorForm<Schema> {
  /** @param reference names the form's entry, unless the form names one */
  run(
    operator: Acting,
    input: InputOf<Schema>,
    actor: Actor,
    reference: string | undefined,
  ): Promise<unknown>;
  done(visit: Visit): Acted;
}

/** A button whose function makes one entry for one reference, however often the form is sent. */
export function operatorEntry<Schema extends TObject>(entry: OperatorEntry<Schema>): Change {
  return changeBy(entry, async (visit, form, input) => {
    const once = form.given("once");
    const reference = once && referenceOf(CONSOLE, once);
    await entry.run(visit.operator, input, visit.actor, reference);
    return entry.done(visit);
  });
}

interface OperatorMaking<Schema extends TObject, Made extends object> extends OperatorForm<Schema> {
  run(operator: Acting, input: InputOf<Schema>, actor: Actor): Promise<Made>;
  done(visit: Visit, made: Made): Acted;
}

/** A button whose function makes something new each time. A form that is sent twice shows what it made the first time. */
export function operatorMakes<Schema extends TObject, Made extends object>(
  making: OperatorMaking<Schema, Made>,
): Change {
  return changeBy(making, async (visit, form, input) => {
    const made = await remembered(visit, form, {
      isSafeToRepeat: false,
      act: () => making.run(visit.operator, input, visit.actor),
    });
    return making.done(visit, made);
  });
}

/** Used instead of a key's id, because nobody else knows a form's id. */
const CONSOLE = "console";

interface Remembered<Outcome extends object> {
  readonly isSafeToRepeat: boolean;
  act(): Promise<Outcome>;
}

/** Runs an act, or returns the stored result if the same form was sent before. Its numbers are doubles. */
async function remembered<Outcome extends object>(
  { keeping, session }: Visit,
  form: Form,
  { isSafeToRepeat, act }: Remembered<Outcome>,
): Promise<Outcome> {
  const once = form.given("once");
  if (once === undefined) return act();
  const call = {
    caller: session,
    key: `${CONSOLE}-${once}`,
    request: JSON.stringify(form.fields),
    isSafeToRepeat,
    // A new key is stored nowhere else.
    isSecret: true,
  };
  const { body } = await actOnce(keeping, call, async () => ({
    status: 201,
    body: JSON.stringify(await act()),
  }));
  const outcome: Outcome = JSON.parse(body);
  return outcome;
}

function changeBy<Schema extends TObject>(
  { input: schema, given, asks, confirm }: OperatorForm<Schema>,
  run: (visit: Visit, form: Form, input: InputOf<Schema>) => Promise<Acted>,
): Change {
  const read = (visit: Visit, form: Form) => inputOf(schema, given(visit, form));
  return {
    ...(asks !== undefined && { asks }),
    ...(confirm !== undefined && {
      confirm(form: Form, visit: Visit) {
        // What would be refused for its input is not worth a confirmation.
        if (asks === undefined) read(visit, form);
        return confirm(form, visit);
      },
    }),
    run: async (visit, form) => run(visit, form, read(visit, form)),
  };
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
