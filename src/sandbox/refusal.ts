/** A request that the service answers with a code other than `0`. */
export class Refusal extends Error {
  override readonly name: string = 'Refusal'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export function emptyParameter(name: string): Refusal {
  return new Refusal(400, '50014', `Parameter ${name} can not be empty`)
}

export function wrongParameter(name: string): Refusal {
  return new Refusal(400, '50036', `Parameter ${name} error`)
}

export function unmatchedParameter(name: string, other: string): Refusal {
  return new Refusal(400, '50016', `Parameter ${name} does not match parameter ${other}`)
}

export function tooMany(name: string, limit: number): Refusal {
  return new Refusal(200, '50025', `Parameter ${name} count exceeds the limit ${limit}`)
}

export function noSuchBlock(): Refusal {
  return new Refusal(200, '50040', 'No data for this block height')
}
