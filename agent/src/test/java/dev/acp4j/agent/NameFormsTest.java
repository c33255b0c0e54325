package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class NameFormsTest {
    @Test
    void aNameHasAllItsForms() {
        assertThat(NameForms.of("userName", "loginId"))
                .isEqualTo(Map.of(
                        "userName", "loginId",
                        "UserName", "LoginId",
                        "user_name", "login_id",
                        "USER_NAME", "LOGIN_ID",
                        "user-name", "login-id"));
    }

    @Test
    void formsAreFoundInsideLongerNamesWhereTheirWordsPart() throws Exception {
        Replacement rename = NameForms.replacement("userName", "loginId");

        String renamed = rename.in(
                        "userName getUserName() setUserNameNow UserNameTest my_user_name USER_NAME_MAX x-user-name-y")
                .text();

        assertThat(renamed)
                .isEqualTo("loginId getLoginId() setLoginIdNow LoginIdTest my_login_id LOGIN_ID_MAX x-login-id-y");
    }

    @Test
    void partsOfOtherWordsStay() throws Exception {
        Replacement rename = NameForms.replacement("cart", "basket");

        assertThat(rename.in("cart carts discart Cartoon myCart CART DISCART").text())
                .isEqualTo("basket carts discart Cartoon myBasket BASKET DISCART");
    }

    @Test
    void onlyNamesHaveForms() {
        assertThat(NameForms.isName("user_name")).isTrue();
        assertThat(NameForms.isName("two words")).isFalse();
        assertThat(NameForms.isName("a.b")).isFalse();
        assertThat(NameForms.isName("__")).isFalse();
    }
}
