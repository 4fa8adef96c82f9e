/* SPDX-License-Identifier: MIT */
/* The table of activations. */
#ifndef SCORIA_ACTIVATION_INTERNAL_H
#define SCORIA_ACTIVATION_INTERNAL_H

#include <scoria/activation.h>

#include "recipe.h"

#define MAX_PIECES 6u

/**
 * struct piece - one pair of tables: LE from @low to @middle, LO from there to @high
 */
struct piece {
	double low;
	double middle;
	double high;
};

/**
 * struct gate - clamp(x + shift, low, high), which multiplies the tables
 * @negative: then what is below 0 counts times this; 0 for 1
 * @factor:   and everything times this; 0 for 1
 */
struct gate {
	double shift;
	double low;
	double high;
	double negative;
	double factor;
};

struct activation;

/* Steps of a function; false without memory. */
typedef bool (*cook_fn)(struct recipe *recipe, const struct activation *activation,
			const struct scoria_activation_opts *opts);

/**
 * struct activation - a row of the table
 * @name:   of the function
 * @cook:   how it is put together
 * @f:      what the tables and the gate have to give together
 * @even:   the tables see |x|
 * @gated:  there is a gate
 * @pieces: the first pair of tables holds f / gate; another one holds how many times
 *          larger that is, inside its range, than where it meets the ones before
 * @alpha:  default of opts->alpha; 0 when there is none
 * @info:   what the header promises
 */
struct activation {
	const char *name;
	cook_fn cook;
	double (*f)(double x);
	bool even;
	bool gated;
	struct gate gate;
	struct piece pieces[MAX_PIECES];
	double alpha;
	struct scoria_activation_info info;
};

/* NULL when there is none. */
const struct activation *activation_find(enum scoria_activation function);

/* Check all options but the number of elements, and fill in defaults. */
int activation_check(struct scoria_activation_opts *o);

/* The first pair of tables, for the caller to free; NULL without memory. */
struct lut *activation_lut(const struct activation *activation);

/* Families of functions, for the table. */
bool cook_relu(struct recipe *recipe, const struct activation *activation,
	       const struct scoria_activation_opts *opts);
bool cook_relux(struct recipe *recipe, const struct activation *activation,
		const struct scoria_activation_opts *opts);
bool cook_leaky(struct recipe *recipe, const struct activation *activation,
		const struct scoria_activation_opts *opts);
bool cook_prelu(struct recipe *recipe, const struct activation *activation,
		const struct scoria_activation_opts *opts);
bool cook_hardtanh(struct recipe *recipe, const struct activation *activation,
		   const struct scoria_activation_opts *opts);
bool cook_hardsigmoid(struct recipe *recipe, const struct activation *activation,
		      const struct scoria_activation_opts *opts);
bool cook_hardswish(struct recipe *recipe, const struct activation *activation,
		    const struct scoria_activation_opts *opts);
bool cook_softsign(struct recipe *recipe, const struct activation *activation,
		   const struct scoria_activation_opts *opts);
bool cook_reciprocal(struct recipe *recipe, const struct activation *activation,
		     const struct scoria_activation_opts *opts);
/* The first pair of tables, from slot @from to slot @to. */
bool cook_table(struct recipe *recipe, const struct activation *activation, enum slot from,
		enum slot to);

/* All tables and the gate, of x / @scale, from slot @from to slot @to. */
bool cook_product(struct recipe *recipe, const struct activation *activation, double scale,
		  enum slot from, enum slot to);

bool cook_tables(struct recipe *recipe, const struct activation *activation,
		 const struct scoria_activation_opts *opts);
bool cook_elu(struct recipe *recipe, const struct activation *activation,
	      const struct scoria_activation_opts *opts);
bool cook_celu(struct recipe *recipe, const struct activation *activation,
	       const struct scoria_activation_opts *opts);
bool cook_softplus(struct recipe *recipe, const struct activation *activation,
		   const struct scoria_activation_opts *opts);
bool cook_logsigmoid(struct recipe *recipe, const struct activation *activation,
		     const struct scoria_activation_opts *opts);
bool cook_sin(struct recipe *recipe, const struct activation *activation,
	      const struct scoria_activation_opts *opts);
bool cook_cos(struct recipe *recipe, const struct activation *activation,
	      const struct scoria_activation_opts *opts);
bool cook_acos(struct recipe *recipe, const struct activation *activation,
	       const struct scoria_activation_opts *opts);
bool cook_rsqrt(struct recipe *recipe, const struct activation *activation,
		const struct scoria_activation_opts *opts);

#endif
