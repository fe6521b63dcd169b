import * as groups from './alertGroups.ts'
import * as rows from './alertRows.ts'
import type { Database } from '../../store/database.ts'
import { createEvaluationBook } from './evaluationBook.ts'
import * as held from './heldEvents.ts'
import * as deliveries from './outboxDeliveries.ts'
import * as contents from './outboxContents.ts'
import * as items from './outboxItems.ts'
import * as operations from './outboxOperations.ts'
import * as times from '../../store/rebaseTimes.ts'
import * as silences from './silenceRows.ts'
import * as told from './toldAlerts.ts'

const tables = {
  ...rows,
  ...groups,
  ...items,
  ...contents,
  ...deliveries,
  ...silences,
  ...held,
  ...operations,
  ...times,
  ...told,
}

/** A store function without its database. */
type Bound<F> = F extends (db: Database, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never
type StoreFunctions = { readonly [Name in keyof typeof tables]: Bound<(typeof tables)[Name]> }
type Unbindable = 'alertColumns' | 'droppedMark' | 'activeAlerts' | 'alertTable' | 'outboxTable'

/** Everything that is stored about alerts and their messages. Each call is SQL and nothing else. */
export type AlertStore = Omit<StoreFunctions, Unbindable> & Pick<Database, 'transaction' | 'generation'>

export function createAlertStore(db: Database): AlertStore {
  const bound = Object.entries(tables).flatMap(([name, value]) =>
    typeof value === 'function'
      ? [[name, (...rest: never[]) => (value as UnknownStoreFunction)(db, ...rest)]]
      : [],
  )
  // Bound<> says the same of the types as the lines above do of the values.
  const store = Object.fromEntries(bound) as Omit<StoreFunctions, Unbindable>
  const { forget, ...evaluations } = createEvaluationBook(db)
  return {
    ...store,
    ...evaluations,
    rebaseTimes(byMs) {
      store.rebaseTimes(byMs)
      forget()
    },
    transaction: (work) => db.transaction(work),
    generation: db.generation,
  }
}

type UnknownStoreFunction = (db: Database, ...rest: never[]) => unknown
