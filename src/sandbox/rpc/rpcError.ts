/** An answer of the RPC that is an error object. */
export class RpcError extends Error {
  override readonly name: string = 'RpcError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export const invalidParams = (what: string) => new RpcError(-32602, `invalid argument: ${what}`)
