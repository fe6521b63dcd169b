import { nth } from '../lib/nth.ts'
import type { Facet } from './facets.ts'
import { createNumberList, firstPlace, insertNumber, type NumberList, removeNumber } from './numberList.ts'
import { nameToken } from './record.ts'
import { directionAt, partiesOf, tokenOf } from './transfers.ts'
import type { CrossRecord } from './transferSpec.ts'
import type { World } from './world.ts'

export type Named = Pick<
  CrossRecord,
  'from' | 'to' | 'sourceAddress' | 'targetAddress' | 'tokenContractAddress'
>

const nameFields = ['from', 'to', 'sourceAddress', 'targetAddress', 'tokenContractAddress'] as const

/** @param as when it was listed, when that was before now */
export function addListed(world: World, number: number, as?: number): void {
  const { listedAs } = world.listIndex
  while (listedAs.length <= number) listedAs.push(0)
  world.listIndex.listings += 1
  listedAs[number] = as ?? world.listIndex.listings
  const order = newestFirst(world)
  for (const list of listsOf(world, number)) {
    const last = list.values[list.length - 1]
    const isLast = last === undefined || order(last, number) > 0
    insertNumber(list, isLast ? list.length : firstPlace(list, (other) => order(other, number) < 0), number)
  }
}

export function removeListed(world: World, number: number): void {
  world.listIndex.listedAs[number] = 0
  world.listIndex.listings += 1
  for (const list of listsOf(world, number)) {
    let at = firstPlace(list, (other) => time(world, other) >= time(world, number))
    while (at < list.length && list.values[at] !== number) at += 1
    if (at < list.length) removeNumber(list, at)
  }
}

export function isListed(world: World, number: number): boolean {
  return (world.listIndex.listedAs[number] ?? 0) > 0
}

/** The order of the list, newest first. */
export function newestFirst(world: World): (a: number, b: number) => number {
  const { listedAs } = world.listIndex
  return (a, b) => time(world, b) - time(world, a) || nth(listedAs, b) - nth(listedAs, a)
}

/** The names in a transfer's record, without the record: as long as no scenario changes them. */
export function namesOf(world: World, number: number): Named {
  const key = nth(world.keys, number)
  const special = world.specials.get(number) ?? {}
  const { sourceAddress, targetAddress } = partiesOf(world, key, special)
  const { bridge, signer } = world.contracts
  return {
    from: directionAt(world, number) === 'MainToZone' ? sourceAddress : signer,
    to: bridge,
    sourceAddress,
    targetAddress,
    tokenContractAddress: nameToken(world, tokenOf(world, key, special)),
  }
}

/** Whether a record of these names passes one filter. */
export function hasName(facet: Facet, value: string, names: Named): boolean {
  const { from, to, sourceAddress, targetAddress, tokenContractAddress } = names
  switch (facet) {
    case 'address':
      return from === value || to === value || sourceAddress === value || targetAddress === value
    case 'from':
      return from === value || sourceAddress === value
    case 'to':
      return to === value || targetAddress === value
    case 'token':
      return tokenContractAddress === value
    default:
      return facet satisfies never
  }
}

function listsOf(world: World, number: number): Set<NumberList> {
  const { facets } = world.listIndex
  const names = namesOf(world, number)
  const lists = new Set<NumberList>()
  const add = (facet: Facet, value: string) => {
    // The bridge is in every record: the whole list is its list.
    if (value !== world.contracts.bridge) lists.add(listOf(facets[facet], value))
  }
  addNames(add, names)
  for (const { fields } of world.specials.get(number)?.patches ?? []) {
    if (!nameFields.some((field) => field in fields)) continue
    world.listIndex.renamed.add(number)
    addNames(add, { ...names, ...fields })
  }
  return lists
}

function addNames(add: (facet: Facet, value: string) => void, names: Named): void {
  const { from, to, sourceAddress, targetAddress, tokenContractAddress } = names
  for (const address of [from, to, sourceAddress, targetAddress]) add('address', address)
  for (const address of [from, sourceAddress]) add('from', address)
  for (const address of [to, targetAddress]) add('to', address)
  add('token', tokenContractAddress)
}

function listOf(lists: Map<string, NumberList>, value: string): NumberList {
  const known = lists.get(value)
  if (known) return known
  const list = createNumberList()
  lists.set(value, list)
  return list
}

function time(world: World, number: number): number {
  return nth(world.originAt, number)
}
