import type { Detector, JudgedOn } from './kind.ts'

/** The table of kinds that rules can be written on: it is handed in, so that no rule knows a kind by name. */
export interface Kinds {
  /** In the order in which documents list them. */
  readonly all: readonly Detector[]
  readonly names: readonly string[]
  /** Null for a kind that does not exist. */
  find(kind: string): Detector | null
}

/** `F`: the facts that there are. */
export function createKinds<F>(all: readonly (Detector & JudgedOn<F>)[]): Kinds {
  const byKind: ReadonlyMap<string, Detector> = new Map(all.map((one) => [one.kind, one]))
  return { all, names: all.map(({ kind }) => kind), find: (kind) => byKind.get(kind) ?? null }
}
