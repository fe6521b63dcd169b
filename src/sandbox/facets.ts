import type { NumberList } from './numberList.ts'

/** What a record can be asked for by name: any party, a sender, a recipient, a token. */
export type Facet = 'address' | 'from' | 'to' | 'token'
/**
 * The listed transfers by what their records name, each list in the order of the whole one (`world.listed`): so that a
 * page of one address costs the page, however long the history is.
 */
export interface ListIndex {
  readonly facets: Readonly<Record<Facet, Map<string, NumberList>>>
  /** Per transfer when it was listed, counted from 1; 0 when it is not: among equal times it decides the order. */
  readonly listedAs: number[]
  listings: number
  /** Transfers whose record changes a name at some instant: they are in the lists of all their names, and looked at. */
  readonly renamed: Set<number>
  /** What requests for several names found, with the `listings` it holds for. */
  readonly combinations: Map<string, { readonly listings: number; readonly numbers: readonly number[] }>
}

export function createListIndex(): ListIndex {
  return {
    facets: { address: new Map(), from: new Map(), to: new Map(), token: new Map() },
    listedAs: [],
    listings: 0,
    renamed: new Set(),
    combinations: new Map(),
  }
}
