# SPDX-License-Identifier: MIT
#
# make modules KDIR=<kernel tree or headers package> [ARCH= CROSS_COMPILE=]
#
# Built in a copy, so that several kernels can be built for from one checkout
# and none leaves files in it. MODULE_DIR names the copy, KBUILD_ARGS is passed
# on, KUNIT=1 builds the KUnit tests in.

KDIR		?= /lib/modules/$(shell uname -r)/build
MODULE_DIR	?= $(O)/modules
KUNIT		?=
MODULE_SRC	:= $(wildcard drivers/accel/scoria/*.[ch] drivers/accel/scoria/tests/*.[ch]) \
		   drivers/accel/scoria/Makefile drivers/accel/scoria/Kconfig \
		   include/uapi/drm/scoria_accel.h \
		   registers/rk3588_npu.h registers/rk3588_npu_stream.h
# The kernel's makefiles would take our O=, CC= and others for theirs.
MODULE_MAKE	= env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES $(MAKE) $(filter -j%,$(MAKEFLAGS)) \
		  -C $(KDIR) M=$(abspath $(MODULE_DIR))/drivers/accel/scoria \
		  $(if $(ARCH),ARCH=$(ARCH)) $(if $(CROSS_COMPILE),CROSS_COMPILE=$(CROSS_COMPILE)) \
		  CONFIG_DRM_ACCEL_SCORIA=m \
		  CONFIG_DRM_ACCEL_SCORIA_KUNIT_TEST=$(if $(KUNIT),y) $(KBUILD_ARGS)

MODULE_FAIL	= { echo "modules: $(strip $(1))" >&2; exit 1; }
MODULE_HEADERS	= $(patsubst /lib/modules/%/build,. Debian has it as linux-headers-%,$(filter \
		  /lib/modules/%/build,$(KDIR)))

.PHONY: modules modules_install
modules:
	@test -e $(KDIR)/include/config/auto.conf || $(call MODULE_FAIL,$(KDIR) is no configured \
		kernel tree or headers package$(MODULE_HEADERS))
	@grep -q '^CONFIG_DRM_ACCEL=y' $(KDIR)/include/config/auto.conf || $(call MODULE_FAIL,the \
		kernel of $(KDIR) has CONFIG_DRM_ACCEL off: no accel driver can be loaded there. Debian \
		13 has a kernel with it in trixie-backports)
	@mkdir -p $(MODULE_DIR)
	@cp --parents -u -t $(MODULE_DIR) $(MODULE_SRC)
	$(MODULE_MAKE) modules
	@echo "modules: $(MODULE_DIR)/drivers/accel/scoria/scoria.ko"

modules_install: modules
	$(MODULE_MAKE) modules_install

TESTS_HOST += tools/testing/test_make_modules.py
