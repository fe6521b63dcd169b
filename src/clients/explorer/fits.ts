import { cleanText } from '../../lib/text.ts'

type Params = Readonly<Record<string, string>>

/**
 * Says why a row cannot stand in the answer to a question, null when it can.
 * @param rows all rows of the answer that could be read
 */
export type Contradicts<R> = (row: R, params: Params, rows: readonly R[]) => string | null

/** What a row gives to compare with the question: several values where any of them may be meant. */
type Values<R, V> = (row: R) => readonly (V | null)[]

/** Why an answer with rows that do not fit is not whole. */
export const misfitReason = 'some rows answer another question than was asked'

/** How the problem of a row begins that a filter should have left out: it says nothing of the rows that belong there. */
export const outsideFilter = 'answers another question: '

/** The first thing that does not fit. */
export function fitsAll<R>(...checks: readonly Contradicts<R>[]): Contradicts<R> {
  return (row, params, rows) => {
    for (const check of checks) {
      const problem = check(row, params, rows)
      if (problem !== null) return problem
    }
    return null
  }
}

/**
 * One of the row's values is one of those that the parameter names, in any case. A row that gives none fits, and so
 * does every row where the parameter was left out.
 */
export function fitsOneOf<R>(param: string, read: Values<R, string>): Contradicts<R> {
  return (row, params) => {
    const asked = params[param]
    if (asked === undefined) return null
    const given = read(row).filter((value): value is string => value !== null && value !== '')
    if (given.length === 0 || given.some((value) => names(asked, value))) return null
    return otherThan(param, asked, given.join(' and '))
  }
}

/** As `fitsOneOf`, for a value that an answer cannot leave out. */
export function fitsExactly<R>(param: string, read: (row: R) => string): Contradicts<R> {
  return (row, params) => {
    const asked = params[param]
    if (asked === undefined || names(asked, read(row))) return null
    return otherThan(param, asked, read(row))
  }
}

/** One of the row's heights is the one asked for, or within the range. A row without a height is in no block yet. */
export function fitsHeights<R>(read: Values<R, number>): Contradicts<R> {
  return (row, { height, startBlockHeight, endBlockHeight }) => {
    if (height === undefined && startBlockHeight === undefined && endBlockHeight === undefined) return null
    const given = read(row).filter((value) => value !== null)
    const first = Number(height ?? startBlockHeight ?? 0)
    const last = Number(height ?? endBlockHeight ?? Infinity)
    if (given.length === 0 || given.some((value) => value >= first && value <= last)) return null
    if (height !== undefined) return otherThan('height', height, given.join(' and '))
    return otherThan('heights', `${first} to ${endBlockHeight ?? 'the newest'}`, given.join(' and '))
  }
}

interface Parties {
  readonly from: string
  readonly to: string
}

/**
 * One of the addresses asked for is a party of the row, on the side that was asked for. Lists of addresses are
 * separated by commas; what makes a contract has no recipient.
 */
export function fitsParties(row: Parties, params: Params): string | null {
  const { address, isFromOrTo } = params
  if (address === undefined) return null
  const { from, to } = row
  const sides = isFromOrTo === 'from' ? [from] : isFromOrTo === 'to' ? [to] : [from, to]
  const fits = (side: string) => side.split(',').some((one) => names(address, one.trim()))
  if (sides.some((side) => side === '' || fits(side))) return null
  return otherThan(
    isFromOrTo === undefined ? 'address' : `address as ${isFromOrTo}`,
    address,
    sides.join(' and '),
  )
}

/** Whether one of the values of a parameter is this one: the case of hex digits says nothing. */
function names(asked: string, value: string): boolean {
  const wanted = value.toLowerCase()
  return (
    asked.toLowerCase() === wanted || (asked.includes(',') && asked.toLowerCase().split(',').includes(wanted))
  )
}

function otherThan(param: string, asked: string, given: string): string {
  const [first = '', ...others] = asked.split(',')
  const more = others.length === 0 ? '' : ` or ${others.length} more`
  return `${outsideFilter}${param} ${cleanText(first, 80)}${more} was asked for, ${cleanText(given, 180)} came`
}
