/** What stands in a cell; each line may lead somewhere. */
export interface Line {
  readonly text: string
  readonly href: string | null
}
export type Cell = string | readonly Line[]

interface Column {
  readonly name: string
  readonly isNumber: boolean
}

/** One section of the report, the same for every form it is rendered in. */
export interface ReportTable {
  readonly title: string
  /** What the reader should know of it; '' when it speaks for itself. */
  readonly note: string
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
  /** Said instead of rows when there are none; '' leaves the section out then. */
  readonly none: string
  /** A narrow screen leaves it to the attached file of this name. */
  readonly file?: string
}

export function linesOf(cell: Cell): readonly Line[] {
  return typeof cell === 'string' ? cell.split('\n').map((text) => ({ text, href: null })) : cell
}

export const text = (name: string): Column => ({ name, isNumber: false })
export const number = (name: string): Column => ({ name, isNumber: true })
