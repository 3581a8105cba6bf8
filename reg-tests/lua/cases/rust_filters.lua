-- SPDX-License-Identifier: BSD-2-Clause
-- A filter that is written in Rust.
require("judge").filters()
